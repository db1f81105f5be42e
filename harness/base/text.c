/* Texts for people: what a terminal can show, in lines of its width, and compilers' messages once.
 */
#include "base/text.h"

#include "base/json_writer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- characters that can be shown --------------------------------------------------------------*/

/* Escapes a text character by character. A terminal, a spreadsheet and an XML reader each stumble
 * over other characters; what remains is harmless in all of them. */

static unsigned code_of(const char *text, int length)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned code = length == 1 ? c[0] : c[0] & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++)
        code = code << 6 | (c[i] & 0x3Fu);
    return code;
}

/* C1 controls, line separators, marks of direction, and characters that XML does not allow. */
static bool is_harmful(unsigned code)
{
    return (code >= 0x80 && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xFFFE || code == 0xFFFF;
}

/* Bytes of a character that can be shown as it is; 0: its first byte must be escaped. */
static int shown_length(const char *text, bool lines)
{
    int length = lab_utf8_length(text);
    if (strchr("\n\t", *text))
        return lines;
    if (*text == '\r' || strncmp(text, "\\x", 2) == 0)
        return 0;
    return length && is_harmful(code_of(text, length)) ? 0 : length;
}

bool lab_printable(const char *text, bool lines, char *shown, size_t size)
{
    size_t used = 0;
    while (*text) {
        char escaped[5];
        int length = shown_length(text, lines);
        size_t more = length ? (size_t)length : 4;
        if (used + more >= size)
            break;
        snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        memcpy(shown + used, length ? text : escaped, more);
        used += more;
        text += length ? length : 1;
    }
    shown[used] = '\0';
    return !*text;
}

int lab_printable_width(const char *text, int bytes)
{
    int width = 0;
    for (int i = 0; i < bytes && text[i]; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

int lab_printable_bytes(const char *text, int most)
{
    const char *end = text;
    for (int length; *end && most > 0; end += length ? length : 1, most--)
        length = lab_utf8_length(end);
    return (int)(end - text);
}

/* --- wrapped lines -----------------------------------------------------------------------------*/

/* A terminal breaks lines in the middle of words. The width is asked for at each text, because a
 * window may change its size. */

enum { NARROWEST = 20, TEXT_BYTES = 8192 };

static int given_columns;

void lab_wrap_to(int columns)
{
    given_columns = columns;
}

int lab_columns_of(FILE *stream)
{
    struct winsize size;
    int columns = given_columns;
    if (!columns && stream && isatty(fileno(stream)) &&
        ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns < NARROWEST ? 0 : columns;
}

/* A newline inside a paragraph is a blank, too. */
static bool is_blank(const char *start, const char *c)
{
    return *c == ' ' || (*c == '\n' && c > start && c[-1] != '\n' && c[1] && !strchr(" \n", c[1]));
}

static void put(FILE *stream, const char *text, int bytes)
{
    if (stream)
        fwrite(text, 1, (size_t)bytes, stream);
}

int lab_print_wrapped(FILE *stream, int indent, const char *text)
{
    const int columns = lab_columns_of(stream);
    int rows = 1, column = indent;
    if (!columns && stream)
        fputs(text, stream);
    for (const char *c = text; columns && *c;) {
        int blanks = 0, bytes = 0;
        while (is_blank(text, c + blanks))
            blanks++;
        const char *const word = c + blanks;
        while (word[bytes] && word[bytes] != '\n' && !is_blank(text, word + bytes))
            bytes++;
        const int width = lab_printable_width(word, bytes);
        const bool breaks = bytes && column > indent && column + blanks + width > columns;
        if (breaks && stream)
            fprintf(stream, "\n%*s", indent, "");
        rows += breaks;
        column = (breaks ? indent : column + blanks) + width;
        for (int i = 0; i < blanks && !breaks; i++)
            put(stream, " ", 1);
        put(stream, word, bytes);
        rows += column > columns ? (column - 1) / columns : 0;
        c = word + bytes;
        if (*c == '\n' && !is_blank(text, c)) {
            put(stream, c++, 1);
            column = indent * (*c && *c != '\n');
            rows += *c != '\0';
            if (column && stream)
                fprintf(stream, "%*s", indent, "");
        }
    }
    return rows;
}

void lab_printf_wrapped(FILE *stream, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_print_wrapped(stream, 0, text);
}

/* --- messages of compilers ---------------------------------------------------------------------*/

/* A template with a warning repeats it for every instance, a macro for every use, and nvcc reads a
 * file twice. A message is a line such as "FILE(12): warning: TEXT" or "FILE:12:5: warning: TEXT"
 * and the indented lines and notes below it; all other lines stay where they are. */

enum { MOST_PARTS = 512, MOST_LINES = 6 };

/* A message with the lines of context before it, or other lines. */
struct part {
    const char *start, *body_end, *end; /* body_end: after the indented lines */
    const char *file, *text;            /* NULL: the part is other lines */
    int file_length, line;
    bool is_told; /* an earlier part says the same */
    int more, lines[MOST_LINES], line_count;
};

static const char *next_line(const char *line)
{
    const char *end = strchrnul(line, '\n');
    return end + (*end == '\n');
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* The first of the words that stands in the line; NULL: none. */
static const char *find_in(const char *line, const char *const words[], int count)
{
    const char *first = NULL, *end = strchrnul(line, '\n');
    for (int i = 0; i < count; i++) {
        const char *found = memmem(line, (size_t)(end - line), words[i], strlen(words[i]));
        if (found && (!first || found < first))
            first = found;
    }
    return first;
}

/* The text of a message, from ": warning" on; NULL: the line is no message. */
static const char *text_in(const char *line)
{
    static const char *const kinds[] = {": warning", ": error", ": fatal error"};
    return find_in(line, kinds, 3);
}

/* Notes belong to the message above them. */
static bool is_note(const char *line)
{
    static const char *const kinds[] = {": note"};
    return find_in(line, kinds, 1) && !text_in(line);
}

/* Reads the place before a message's text: "(12)" or ":12:5". False: there is no place. */
static bool read_place(const char *line, struct part *part)
{
    for (const char *c = line; c < part->text; c++)
        if ((*c == '(' || *c == ':') && isdigit((unsigned char)c[1])) {
            part->file = line;
            part->file_length = (int)(c - line);
            part->line = atoi(c + 1);
            return true;
        }
    return false;
}

/* "In function 'f':" and "In file included from a.h:3," belong to the message below them. */
static bool is_context(const char *line)
{
    const char *end = strchrnul(line, '\n');
    return end > line && (end[-1] == ':' || end[-1] == ',') && !text_in(line);
}

/* The part that begins here. */
static struct part read_part(const char *start)
{
    struct part part = {.start = start};
    const char *line = start;
    while (is_context(line))
        line = next_line(line);
    part.text = *line == ' ' ? NULL : text_in(line);
    if (!part.text || !read_place(line, &part)) {
        part.text = NULL;
        part.body_end = part.end = next_line(line);
        return part;
    }
    for (line = next_line(line);
         *line == ' ' || *line == '\t' || is_note(line) || (*line == '\n' && is_note(line + 1));)
        line = next_line(line);
    part.body_end = line;
    line += *line == '\n';
    if (begins(line, "Remark: The warnings can be suppressed")) {
        line = next_line(line);
        line += *line == '\n';
    }
    part.end = line;
    return part;
}

static const char *behind_digits(const char *c)
{
    while (isdigit((unsigned char)*c))
        c++;
    return c;
}

/* Names in quotes must be equal, except where both messages are about one line. */
static bool is_alike(const struct part *a, const struct part *b)
{
    const char *c = a->text, *d = b->text;
    bool is_quoted = false;
    if (!c || !d || a->file_length != b->file_length ||
        strncmp(a->file, b->file, (size_t)a->file_length) != 0)
        return false;
    while (*c && *c != '\n') {
        if (isdigit((unsigned char)*c) && isdigit((unsigned char)*d) &&
            (!is_quoted || a->line == b->line)) {
            c = behind_digits(c);
            d = behind_digits(d);
            continue;
        }
        if (*c != *d)
            return false;
        is_quoted ^= *c == '"';
        c++;
        d++;
    }
    return !*d || *d == '\n';
}

static void add_line(struct part *first, int line)
{
    for (int i = 0; i < first->line_count && i < MOST_LINES; i++)
        if (first->lines[i] == line)
            return;
    if (line == first->line)
        return;
    if (first->line_count < MOST_LINES)
        first->lines[first->line_count] = line;
    first->line_count++;
}

static void write_more(FILE *stream, const struct part *part)
{
    const int shown = part->line_count < MOST_LINES ? part->line_count : MOST_LINES;
    fprintf(stream, "    and %d more like it", part->more);
    for (int i = 0; i < shown; i++)
        fprintf(stream, "%s %d",
                i                      ? ","
                : part->line_count > 1 ? ", lines"
                                       : ", line",
                part->lines[i]);
    fprintf(stream, "%s\n", !shown ? " on this line" : part->line_count > MOST_LINES ? " ..." : "");
}

static void tell_once(struct part *parts, int count)
{
    struct part *const last = &parts[count - 1];
    for (int i = 0; i < count - 1 && !last->is_told; i++)
        if (!parts[i].is_told && is_alike(&parts[i], last)) {
            parts[i].more++;
            add_line(&parts[i], last->line);
            last->is_told = true;
        }
}

/* Other lines next to each other are one part. So is the text after the most parts. */
static int read_parts(const char *text, struct part *parts)
{
    const char *const end = strchr(text, '\0');
    int count = 0;
    for (const char *at = text; *at; at = parts[count - 1].end) {
        struct part part = read_part(at);
        if (count == MOST_PARTS - 1)
            part = (struct part){.start = at, .body_end = end, .end = end};
        if (count && !part.text && !parts[count - 1].text) {
            parts[count - 1].body_end = parts[count - 1].end = part.end;
            continue;
        }
        parts[count++] = part;
        tell_once(parts, count);
    }
    return count;
}

static void rewrite(char *text, bool messages_alone)
{
    struct part *const parts = malloc(MOST_PARTS * sizeof *parts);
    char *gathered = NULL;
    size_t length = 0;
    FILE *stream = parts ? open_memstream(&gathered, &length) : NULL;
    const int count = stream ? read_parts(text, parts) : 0;
    for (int i = 0; i < count; i++) {
        const struct part *const part = &parts[i];
        if (part->is_told || (messages_alone && !part->text))
            continue;
        fwrite(part->start, 1, (size_t)(part->body_end - part->start), stream);
        if (part->more)
            write_more(stream, part);
        if (!messages_alone) /* a blank line, and how to switch warnings off */
            fwrite(part->body_end, 1, (size_t)(part->end - part->body_end), stream);
    }
    if (stream && fclose(stream) == 0 && length <= strlen(text))
        memcpy(text, gathered, length + 1);
    free(gathered);
    free(parts);
}

/* --- in plain words ----------------------------------------------------------------------------*/

/* Writes what causes a message that is hard to read, as a line to put below it; 0: not known. */
static int write_plain_words(const char *line, char *text, size_t size)
{
    static const char *const hexadecimal[] = {" bytes, 0x"};
    static const char *const comma[] = {"no suitable constructor exists to convert from \"int\""};
    static const char *const empty[] = {"zero-sized variable",
                                        "size of an array must be greater than zero"};
    const char *const most = find_in(line, hexadecimal, 1);
    const char *used = most;
    if (find_in(line, empty, 2))
        return snprintf(text, size,
                        "    an array of no elements: does its size come out as 0, as 1 / 2 of "
                        "ints does?\n");
    if (find_in(line, comma, 1))
        return snprintf(
            text, size,
            "    values for the members of a struct stand in { }: (a, b, c) is c alone\n");
    while (used && used > line && used[-1] != '(')
        used--;
    if (!most || used == line)
        return 0;
    return snprintf(text, size, "    that is %lu bytes, of %lu that there may be%s\n",
                    strtoul(used, NULL, 16), strtoul(most + strlen(" bytes, "), NULL, 16),
                    strstr(line, "shared data")
                        ? ": make the arrays of shared memory of a block smaller, or fewer"
                        : "");
}

/* A compiler reports a missing brace last, after the errors that it causes. */
static void put_brace_first(char *text, size_t size)
{
    char words[200];
    const char *const missing = strstr(text, "error: expected a \"}\"");
    const char *const opened = missing ? strstr(missing, "to match this \"{\"") : NULL;
    const char *first = strstr(text, "): error: "), *open = opened;
    while (first && first > text && first[-1] != '(')
        first--;
    while (open && open > missing && *open != '(')
        open--;
    if (!opened || !first || *open != '(' || strstr(text, "a } is missing") == text)
        return;
    const int length = snprintf(
        words, sizeof words, "a } is missing above line %d: the { of line %d is still open there\n",
        atoi(first), atoi(open + 1));
    if (strlen(text) + (size_t)length >= size)
        return;
    memmove(text + length, text, strlen(text) + 1);
    memcpy(text, words, (size_t)length);
}

void lab_compiler_explain(char *text, size_t size)
{
    enum { ROOM = 200 };
    put_brace_first(text, size);
    for (char *line = text; *line; line = strchrnul(line, '\n') + 1) {
        char words[ROOM], *const end = strchr(line, '\n');
        const int length = end ? write_plain_words(line, words, sizeof words) : 0;
        const size_t rest = end ? strlen(end + 1) + 1 : 0;
        if (!end)
            return;
        if (length <= 0 || length >= ROOM ||
            (size_t)(end + 1 - text) + (size_t)length + rest > size)
            continue;
        memmove(end + 1 + length, end + 1, rest);
        memcpy(end + 1, words, (size_t)length);
        line = end + 1; /* the new line is not explained */
    }
}

void lab_compiler_gather(char *text)
{
    rewrite(text, false);
}

void lab_compiler_keep_messages(char *text)
{
    rewrite(text, true);
}
