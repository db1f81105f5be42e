/* JSON, item by item, each on a line of its own. */
#include "base/json_writer.h"

#include <math.h>

void lab_json_item(struct lab_json_writer *w, const char *name)
{
    fprintf(w->stream, "%s\n%*s", w->first ? "" : ",", 2 * w->depth, "");
    if (name)
        fprintf(w->stream, "\"%s\": ", name);
    w->first = false;
}

void lab_json_begin(struct lab_json_writer *w, const char *name, char bracket)
{
    if (w->depth)
        lab_json_item(w, name);
    fputc(bracket, w->stream);
    w->depth++;
    w->first = true;
}

void lab_json_end(struct lab_json_writer *w, char bracket)
{
    w->depth--;
    fprintf(w->stream, "\n%*s%c", 2 * w->depth, "", bracket);
    w->first = false;
}

/* The table of well-formed sequences, Unicode 15.0, table 3-7. Only the second byte has limits of
 * its own, which exclude overlong forms, surrogates and codes above U+10FFFF. */
int lab_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int more = c[0] < 0x80 ? 0 : c[0] < 0xE0 ? 1 : c[0] < 0xF0 ? 2 : 3;
    unsigned least = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
    unsigned most = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
    if (c[0] < 0x20 || c[0] == 0x7F)
        return c[0] == '\t' || c[0] == '\n' || c[0] == '\r';
    if (more && (c[0] < 0xC2 || c[0] > 0xF4 || c[1] < least || c[1] > most))
        return 0;
    for (int i = 2; i <= more; i++)
        if (c[i] < 0x80 || c[i] > 0xBF)
            return 0;
    return 1 + more;
}

/* Texts come from files and their names, in any encoding: a byte that is not UTF-8 becomes '?'. */
void lab_json_string(struct lab_json_writer *w, const char *name, const char *text)
{
    lab_json_item(w, name);
    fputc('"', w->stream);
    for (const char *c = text; *c;) {
        int length = lab_utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(w->stream, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(w->stream, "\\u%04x", *c);
        else if (length)
            fwrite(c, 1, (size_t)length, w->stream);
        else
            fputc('?', w->stream);
        c += length ? length : 1;
    }
    fputc('"', w->stream);
}

/* JSON has no NaN or infinity: such a figure is left out, like a figure that was not taken. */
void lab_json_number(struct lab_json_writer *w, const char *name, double value)
{
    if (!isfinite(value))
        return;
    lab_json_item(w, name);
    fprintf(w->stream, "%.10g", value);
}

void lab_json_integer(struct lab_json_writer *w, const char *name, long long value)
{
    lab_json_item(w, name);
    fprintf(w->stream, "%lld", value);
}

void lab_json_null(struct lab_json_writer *w, const char *name)
{
    lab_json_item(w, name);
    fputs("null", w->stream);
}

void lab_json_bool(struct lab_json_writer *w, const char *name, bool value)
{
    lab_json_item(w, name);
    fputs(value ? "true" : "false", w->stream);
}
