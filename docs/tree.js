/* Behind Doxygen's own data of the tree at the side: what docs/tree.py knows of the series hangs in it, unfolded. */
for (const node of NAVTREE[0][2])
    node[2] = series[node[1]] || node[2];

/* Doxygen makes what is below an entry when that is unfolded, so that each is unfolded when it has been made. */
document.addEventListener("DOMContentLoaded", () => {
    const side = document.getElementById("side-nav"), tree = document.getElementById("nav-tree");
    const parents = new Set([...Object.keys(series), ...series["walkthrough.html"].map(step => step[1])]);
    const unfold = item => {
        const [toggle, link] = [item.querySelector(":scope > a"), item.querySelector(".label > a")];
        const list = item.parentNode.querySelector(":scope > ul");
        link.title = link.textContent; /* a long one is cut */
        if (!toggle || !parents.has((link.getAttribute("href") || "").split("/").pop()))
            return;
        toggle.setAttribute("aria-label", `what is below ${link.textContent}`);
        if (!list || list.style.display === "none")
            toggle.click();
    };
    const unfoldAll = () => {
        const items = [...tree.querySelectorAll("li > .item:not([data-seen])")];
        for (const item of items) {
            item.dataset.seen = "yes"; /* what is folded later stays so */
            unfold(item);
        }
        $(tree).find("ul").finish(); /* nothing slides: places are known now */
        const selected = document.getElementById("selected");
        const [view, place] = [tree, selected || tree].map(element => element.getBoundingClientRect());
        if (place.top < view.top || place.bottom > view.bottom) {
            $(tree).stop(true); /* Doxygen scrolls to where it was before */
            tree.scrollTop += place.top - view.top - view.height / 3;
        }
    };
    side.setAttribute("role", "navigation");
    side.setAttribute("aria-label", "all pages");
    new MutationObserver(unfoldAll).observe(tree, { childList: true, subtree: true, attributeFilter: ["id"] });
});
