# Bare Debian root file systems: making them, and running commands in them as on a machine of its own.
# Sourced by .ci/run and .ci/arm64. Mounts are made in a namespace that ends with the command, so that
# nothing stays mounted, whatever happens, and removing a root cannot reach through a mount.
#
# $work is the folder for roots and downloads; it is removed when the script ends.

work=
child=
at_stop() { :; } # for a script to define
stop() { # stop STATUS: also for Ctrl-C; kills what runs in a root with its namespace
    trap - EXIT INT TERM HUP
    at_stop
    if [ -n "$child" ]; then kill -9 "$child" 2> /dev/null; wait "$child" 2> /dev/null; fi
    if [ -n "$work" ]; then rm -rf --one-file-system "$work"; fi
    exit "$1"
}

start_work() {
    trap 'stop $?' EXIT
    trap 'stop 130' INT
    trap 'stop 143' TERM HUP
    work=$(mktemp -d "${TMPDIR:-/tmp}/lab-ci-XXXXXX")
    mkdir -p -m 777 "$work/pip"
}

# why_no_root: one line that says why no root can be made here; nothing where it can.
why_no_root() {
    if [ "$(id -u)" != 0 ]; then echo 'it takes root'; return; fi
    if ! command -v debootstrap > /dev/null; then
        { apt-get update -q && apt-get install -y -q --no-install-recommends debootstrap; } > /dev/null 2>&1
        if ! command -v debootstrap > /dev/null; then echo 'debootstrap is missing'; return; fi
    fi
    if ! unshare --mount --pid --fork true 2> /dev/null; then echo 'unshare may not make namespaces'; fi
}

# apt_setting NAME: of the host's apt, such as a proxy.
apt_setting() { apt-config dump 2> /dev/null | sed -n "s/^$1 \"\(.*\)\";$/\1/p" | head -n 1; }

# Where the host's apt gets Debian from; nothing, debootstrap's own choice, where the host is no Debian.
mirror() {
    if ! grep -qx 'ID=debian' /etc/os-release; then return; fi
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null |
        sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' |
        grep -E '^https?://.*/debian/?$' | head -n 1
}

# make_root FOLDER SUITE [ARCHITECTURE]: minbase, git, make and certificates, and how the host reaches
# packages. Downloaded packages are kept in $work.
make_root() {
    local root=$1 suite=$2 arch=${3:-$(dpkg --print-architecture)} proxy
    local archives=$work/archives-$2-${3:-host}
    mkdir -p "$archives/partial" "$root"
    proxy=$(apt_setting Acquire::http::Proxy)
    if ! http_proxy=${http_proxy:-$proxy} debootstrap --arch="$arch" --variant=minbase \
        --include=git,make,ca-certificates --cache-dir="$archives" "$suite" "$root" $(mirror) \
        > "$root.log" 2>&1; then
        tail -n 20 "$root.log" "$root/debootstrap/debootstrap.log"
        return 1
    fi
    basename "$archives" > "$root/.archives"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2> /dev/null
    apt-config dump | grep -E '^Acquire::((https?|ftp)::|Check-|Retries)' > "$root/etc/apt/apt.conf.d/90host"
    if [ -e /etc/pip.conf ]; then cp -L /etc/pip.conf "$root/etc/"; fi
    if [ -e /etc/ssl/certs/ca-certificates.crt ]; then # the host may trust one more, such as a proxy's
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/usr/local/share/ca-certificates/host.crt"
        in_root "$root" update-ca-certificates > /dev/null 2>&1
        cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt"
    fi
}

# put_checkout ROOT FOLDER: a clone of what is committed, as a user has it.
put_checkout() {
    git -c safe.directory='*' clone -q --no-local "file://$PWD" "$1$2"
}

# in_root ROOT COMMAND...: as root, in its home, with nothing of the host but proxies and CI.
in_root() {
    local root=$1 name
    local -a environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        LANG=C.UTF-8 TERM=dumb PIP_CACHE_DIR=/var/cache/pip PIP_ROOT_USER_ACTION=ignore
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt)
    shift
    for name in CI {http,https,no}_proxy {HTTP,HTTPS,NO}_PROXY PIP_{INDEX_URL,EXTRA_INDEX_URL,TRUSTED_HOST,DEFAULT_TIMEOUT}; do
        if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
    done
    mkdir -p "$root/var/cache/pip"
    unshare --mount --pid --fork --kill-child --propagation private bash -c '
        set -e
        root=$1 archives=$2 pip=$3
        shift 3
        mount --bind "$root" "$root"
        cd "$root"
        mount -t proc proc proc
        mount -t tmpfs -o mode=755 dev dev
        mkdir dev/shm dev/pts
        mount -t tmpfs shm dev/shm
        mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
        for device in null zero full random urandom tty; do
            touch dev/$device
            mount --bind /dev/$device dev/$device
        done
        ln -s pts/ptmx dev/ptmx
        ln -s /proc/self/fd dev/fd
        ln -s /proc/self/fd/0 dev/stdin
        ln -s /proc/self/fd/1 dev/stdout
        ln -s /proc/self/fd/2 dev/stderr
        mount --bind "$pip" var/cache/pip
        if [ -d "$archives" ]; then mount --bind "$archives" var/cache/apt/archives; fi
        pivot_root . .
        umount -l .
        cd /root
        exec env -i "$@"' in_root "$root" "$work/$(cat "$root/.archives" 2> /dev/null)" "$work/pip" \
        "${environment[@]}" "$@" < /dev/null &
    child=$!
    wait "$child"
    local status=$?
    child=
    return $status
}
