/* Escapes a text character by character. A terminal, a spreadsheet and an XML reader each stumble
 * over other characters; what remains is harmless in all of them. */
#include "base/printable.h"

#include "base/json_writer.h"

#include <stdio.h>
#include <string.h>

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
