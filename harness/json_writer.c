/* JSON, item by item, each on a line of its own. */
#include "json_writer.h"

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

void lab_json_string(struct lab_json_writer *w, const char *name, const char *text)
{
    lab_json_item(w, name);
    fputc('"', w->stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(w->stream, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(w->stream, "\\u%04x", *c);
        else
            fputc(*c, w->stream);
    }
    fputc('"', w->stream);
}

/* JSON has no NaN or infinity: such a figure is left out, as one that was not taken. */
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

void lab_json_bool(struct lab_json_writer *w, const char *name, bool value)
{
    lab_json_item(w, name);
    fputs(value ? "true" : "false", w->stream);
}
