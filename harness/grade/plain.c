/* The text of a program as the compiler reads it, so that files which differ in comments and blanks
 * alone are judged once. Only what is certain is taken away: a text in which a line's number, or
 * the text itself, could matter stays as it is. */
#include "grade/submission.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A text that is read, and what is left of it. */
struct reader {
    const char *at, *end; /* a NUL is at the end */
    char *out, *put;
    bool blank; /* blanks or comments since what was put last */
    bool fresh; /* nothing but these in the line: a # begins a directive */
    bool directive;
};

static bool begins(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* --- what makes a text stay as it is -----------------------------------------------------------*/

/* Digraphs, trigraphs, raw strings, pasted names, and assembly that reads files. */
static bool has_oddities(const char *text)
{
    static const char *const oddities[] = {"<:", ":>",  "<%",     "%>",       "%:",          "??",
                                           "##", "R\"", "incbin", ".include", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++)
        if (strstr(text, oddities[i]))
            return true;
    return false;
}

/* Control characters, and lines that go on in the next one. */
static bool has_odd_lines(const char *text, size_t size)
{
    for (const char *at = text; at < text + size; at++) {
        const char *behind = at + 1;
        if ((unsigned char)*at < ' ' && *at != '\t' && *at != '\n' && !begins(at, "\r\n"))
            return true;
        if (*at == '\\')
            behind += strspn(behind, " \t\r");
        if (*at == '\\' && (*behind == '\n' || *behind == '\0'))
            return true;
    }
    return false;
}

/* Names that stand for a place in the text, or may: reserved macros such as __LINE__, and macros
 * of headers that have it in them. */
static bool is_place(const char *word, size_t length)
{
    static const char *const places[] = {"assert", "source_location", "__has_include",
                                         "__has_include_next", "__builtin_source_location"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i]) == length && begins(word, places[i]))
            return true;
    for (size_t i = 1; i < length && *word == '_'; i++)
        if (isupper((unsigned char)word[i]))
            return true;
    return begins(word, "Cub") || begins(word, "CUB_") || begins(word, "CCCL_") ||
           begins(word, "THRUST_");
}

/* Behind `include`: a plain name, in which nothing looks like a comment or a literal, and which is
 * not that of a kernel file. */
static bool is_plain_name(const char *at)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    at += strspn(at, " \t");
    const char close = *at == '<' ? '>' : '"';
    const size_t length = *at == '<' || *at == '"' ? strspn(at + 1, letters) : 0;
    for (size_t i = 1; i < length; i++)
        if (begins(at + i, "//") || begins(at + i, ".cu"))
            return false;
    return length && at[1 + length] == close;
}

static bool is_plain_directive(const char *hash)
{
    static const char *const plain[] = {"define", "undef", "if",    "ifdef", "ifndef",
                                        "elif",   "else",  "endif", "pragma"};
    const char *const word = hash + 1 + strspn(hash + 1, " \t");
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strlen(plain[i]) == length && begins(word, plain[i]))
            return true;
    return length == strlen("include") && begins(word, "include") && is_plain_name(word + length);
}

/* --- the text ----------------------------------------------------------------------------------*/

/* Passes a blank, the end of a line, or a comment; false: there is none here. */
static bool pass_blank(struct reader *r)
{
    if (*r->at == '\n') {
        if (r->directive)
            *r->put++ = '\n';
        r->blank = !r->directive;
        r->directive = false;
        r->fresh = true;
        r->at++;
        return true;
    }
    const size_t blanks = strspn(r->at, " \t\r");
    const char *end = r->at + blanks;
    if (begins(r->at, "//")) {
        end = r->at + strcspn(r->at, "\n");
    } else if (begins(r->at, "/*")) {
        end = strstr(r->at + 2, "*/");
        end = end ? end + 2 : r->end;
    } else if (!blanks) {
        return false;
    }
    r->blank = true;
    r->at = end;
    return true;
}

static void put(struct reader *r, size_t length)
{
    memcpy(r->put, r->at, length);
    r->put += length;
    r->at += length;
}

/* A literal, with all that is in it. An apostrophe behind a digit is none, or is hard to tell. */
static bool put_literal(struct reader *r, bool behind_word)
{
    const char quote = *r->at;
    size_t length = 1;
    if (quote == '\'' && behind_word)
        return false;
    for (; r->at[length] != quote; length++) {
        length += r->at[length] == '\\';
        if (r->at[length] == '\n' || r->at[length] == '\0')
            return false;
    }
    put(r, length + 1);
    return true;
}

/* What follows, up to a blank at most; false: the text must stay as it is. */
static bool put_piece(struct reader *r)
{
    const bool behind_word = !r->blank && r->put > r->out && in_word(r->put[-1]);
    const bool begins_line = r->put == r->out || r->put[-1] == '\n';
    size_t length = 0;
    if (r->fresh && *r->at == '#') {
        r->directive = true;
        if (!is_plain_directive(r->at))
            return false;
        if (!begins_line)
            *r->put++ = '\n';
    } else if (*r->at == '\\' || (*r->at == '#' && !r->directive)) {
        return false;
    } else if (r->blank && !begins_line) {
        *r->put++ = ' ';
    }
    r->blank = r->fresh = false;
    if (*r->at == '"' || *r->at == '\'')
        return put_literal(r, behind_word);
    while (in_word(r->at[length]))
        length++;
    if (length && is_place(r->at, length))
        return false;
    put(r, length ? length : 1);
    return true;
}

/* Reads a whole text; false: it must stay as it is. What is put is never longer than what was
 * read: a blank, or the end of a line, stands for one at least. */
static bool read_all(struct reader *r)
{
    if (has_oddities(r->at) || has_odd_lines(r->at, (size_t)(r->end - r->at)))
        return false;
    while (r->at < r->end)
        if (!pass_blank(r) && !put_piece(r))
            return false;
    return true;
}

bool lab_source_plain(struct lab_source *plain, const struct lab_source *source)
{
    char *const text = calloc(source->size + 1, 1);
    *plain = (struct lab_source){.bytes = malloc(source->size + 1), .status = source->status};
    const bool has_room = text && plain->bytes;
    if (has_room && source->size) {
        memcpy(text, source->bytes, source->size);
        struct reader r = {.at = text,
                           .end = text + source->size,
                           .out = plain->bytes,
                           .put = plain->bytes,
                           .fresh = true};
        const bool is_plain = read_all(&r);
        if (!is_plain)
            memcpy(plain->bytes, text, source->size);
        plain->size = is_plain ? (size_t)(r.put - r.out) : source->size;
    }
    free(text);
    return has_room;
}
