/* The module level of PTX: header directives, variables and functions. At the end of the module,
 * names are joined that only the whole module resolves. */
#include "sim/ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the module level --- */

static void parse_version(struct ptx_parser *parser)
{
    const struct ptx_token *token = &parser->token;
    int major = 0, minor = 0;
    char text[16] = {0};

    if (token->kind == PTX_TOKEN_NUMBER && token->length < sizeof text)
        memcpy(text, token->text, token->length);
    if (sscanf(text, "%3d.%1d", &major, &minor) != 2)
        ptx_fail_expected(parser, "a version such as 9.0");
    parser->unit += parser->module->version > 0;
    parser->module->version = 10 * major + minor;
    ptx_advance(parser);
}

static void parse_target(struct ptx_parser *parser)
{
    parser->module->target = ptx_expect_word(parser)->name;
    while (ptx_accept(parser, ','))
        ptx_expect_word(parser);
}

/* Skips debugging data such as .section .debug_str { ... }. */
static void skip_section(struct ptx_parser *parser)
{
    if (parser->token.kind != PTX_TOKEN_DIRECTIVE)
        ptx_fail_expected(parser, "a section's name");
    ptx_advance(parser);
    ptx_skip_group(parser, '{', '}');
}

static void parse_alias(struct ptx_parser *parser)
{
    struct ptx_symbol **pair =
        ptx_list_add(parser, &parser->aliases, 2 * sizeof(struct ptx_symbol *));

    pair[0] = ptx_expect_word(parser);
    ptx_expect(parser, ',');
    pair[1] = ptx_expect_word(parser);
    ptx_expect(parser, ';');
}

/* How other translation units may use a name. */
struct linkage {
    bool is_extern, is_weak, is_visible;
};

/* Gives a variable that only its own translation unit knows another name, as one of a later unit
 * has the same: "text" becomes "text@0". All that named it so far meant this one. */
static void rename_local(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    const size_t size = symbol->length + 16;
    char *const text = ptx_scratch(parser, size);
    struct ptx_variable *const variables = parser->variables.items;
    snprintf(text, size, "%s@%d", symbol->name, symbol->unit);
    struct ptx_symbol *const renamed = ptx_intern(parser, text, strlen(text));

    renamed->module_variable = symbol->module_variable;
    renamed->unit = symbol->unit;
    variables[symbol->module_variable - 1].name = renamed->name;
    symbol->module_variable = 0;
    for (struct ptx_pending_name *name = parser->pending; name; name = name->next)
        if (name->symbol == symbol)
            name->symbol = renamed;
    for (int i = 0; i < parser->variables.count; i++) {
        struct ptx_relocation *const relocations =
            (struct ptx_relocation *)variables[i].relocations;
        for (int j = 0; j < variables[i].relocation_count; j++)
            if (strcmp(relocations[j].symbol, symbol->name) == 0)
                relocations[j].symbol = renamed->name;
    }
}

static void note_definition(struct ptx_parser *parser, struct ptx_symbol *symbol,
                            const struct linkage *linkage)
{
    symbol->unit = parser->unit;
    symbol->is_weak = linkage->is_weak;
    symbol->is_local = !linkage->is_visible && !linkage->is_weak;
}

/* A variable may be declared .extern and defined later. The two declarations share one entry. Of
 * weak definitions in several translation units the first is taken. */
static void add_module_variable(struct ptx_parser *parser, const struct ptx_variable *variable,
                                const struct linkage *linkage)
{
    struct ptx_symbol *symbol = ptx_intern(parser, variable->name, strlen(variable->name));
    struct ptx_variable *known = parser->variables.items;

    if (symbol->module_function)
        ptx_fail(parser, "'%s' is both a function and a variable", symbol->name);
    if (symbol->module_variable) {
        known += symbol->module_variable - 1;
        if (variable->is_extern)
            return;
        if (known->is_extern) {
            *known = *variable;
            note_definition(parser, symbol, linkage);
            return;
        }
        if (symbol->unit != parser->unit && symbol->is_weak && linkage->is_weak)
            return;
        if (symbol->unit == parser->unit || !symbol->is_local)
            ptx_fail(parser, "variable '%s' is defined twice", symbol->name);
        rename_local(parser, symbol);
    }
    *(struct ptx_variable *)ptx_list_add(parser, &parser->variables, sizeof *variable) = *variable;
    symbol->module_variable = parser->variables.count;
    note_definition(parser, symbol, linkage);
}

static void parse_module_variables(struct ptx_parser *parser, const struct linkage *linkage)
{
    enum ptx_space space = ptx_accept_space(parser);

    if (space == PTX_GENERIC)
        ptx_fail_expected(parser, "a directive");
    if (space == PTX_LOCAL || space == PTX_PARAM)
        ptx_fail(parser, "a .%s variable outside of a function is not supported",
                 space == PTX_LOCAL ? "local" : "param");

    struct ptx_declaration declaration = ptx_parse_declaration(parser, space);
    declaration.is_extern = linkage->is_extern;
    do {
        struct ptx_variable variable = ptx_parse_declarator(parser, &declaration);
        add_module_variable(parser, &variable, linkage);
    } while (ptx_accept(parser, ','));
    ptx_expect(parser, ';');
}

static bool accept_linkage(struct ptx_parser *parser, struct linkage *linkage)
{
    if (ptx_accept_directive(parser, "extern"))
        linkage->is_extern = true;
    else if (ptx_accept_directive(parser, "visible"))
        linkage->is_visible = true;
    else if (ptx_accept_directive(parser, "weak") || ptx_accept_directive(parser, "common"))
        linkage->is_weak = true;
    else
        return false;
    return true;
}

static void parse_module_statement(struct ptx_parser *parser)
{
    struct linkage linkage = {false, false, false};

    while (accept_linkage(parser, &linkage))
        continue;
    if (ptx_accept_directive(parser, "version")) {
        parse_version(parser);
    } else if (ptx_accept_directive(parser, "target")) {
        parse_target(parser);
    } else if (ptx_accept_directive(parser, "address_size")) {
        if (ptx_expect_integer(parser, 64) != 64)
            ptx_fail(parser, "only .address_size 64 is supported");
    } else if (ptx_accept_directive(parser, "file")) {
        ptx_parse_file(parser);
    } else if (ptx_accept_directive(parser, "loc")) {
        ptx_parse_location(parser);
    } else if (ptx_accept_directive(parser, "section")) {
        skip_section(parser);
    } else if (ptx_accept_directive(parser, "alias")) {
        parse_alias(parser);
    } else if (ptx_accept_directive(parser, "pragma")) {
        while (!ptx_accept(parser, ';')) {
            if (parser->token.kind == PTX_TOKEN_END)
                ptx_fail_expected(parser, "';'");
            ptx_advance(parser);
        }
    } else if (ptx_accept_directive(parser, "func")) {
        ptx_parse_function(parser, false, linkage.is_extern, linkage.is_weak);
    } else if (ptx_accept_directive(parser, "entry")) {
        ptx_parse_function(parser, true, linkage.is_extern, linkage.is_weak);
    } else if (!ptx_accept(parser, ';')) {
        parse_module_variables(parser, &linkage);
    }
}

/* --- joining --- */

/* Turns uses of an alias into uses of the function that the alias names. */
static void join_aliases(struct ptx_parser *parser)
{
    struct ptx_symbol **pair = parser->aliases.items;
    const struct ptx_function *functions = parser->functions.items;

    for (int i = 0; i < parser->aliases.count; i++, pair += 2) {
        if (!pair[1]->module_function || !functions[pair[1]->module_function - 1].has_body)
            ptx_fail(parser, ".alias of '%s', which is not a function of this module",
                     pair[1]->name);
        if (!pair[0]->module_function || functions[pair[0]->module_function - 1].has_body)
            ptx_fail(parser, ".alias '%s' must be a declared function without a body",
                     pair[0]->name);
        pair[0]->module_function = pair[1]->module_function;
    }
}

/* For ptx_find_function(), the entry of an alias becomes a copy of the function's entry, which
 * shares the instructions. This comes last, because nothing may be done to instructions twice. */
static void complete_aliases(struct ptx_parser *parser)
{
    struct ptx_symbol **pair = parser->aliases.items;
    struct ptx_module *module = parser->module;

    for (int i = 0; i < parser->aliases.count; i++, pair += 2)
        for (int j = 0; j < module->function_count; j++)
            if (module->functions[j].name == pair[0]->name) {
                module->functions[j] = module->functions[pair[1]->module_function - 1];
                module->functions[j].name = pair[0]->name;
            }
}

static void resolve_module_names(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;

    for (struct ptx_pending_name *name = parser->pending; name; name = name->next) {
        struct ptx_operand *operand = name->operand;

        if (name->symbol->module_variable) {
            operand->variable = &module->variables[name->symbol->module_variable - 1];
            if (operand->kind == PTX_OPERAND_FUNCTION)
                operand->kind = PTX_OPERAND_VARIABLE;
        } else if (name->symbol->module_function && operand->kind == PTX_OPERAND_FUNCTION) {
            const struct ptx_function *function =
                &module->functions[name->symbol->module_function - 1];
            operand->function = function->has_body ? function : NULL;
        } else {
            ptx_fail_at(parser, name->line, "unknown name '%s'", name->symbol->name);
        }
    }
}

static void check_relocations(struct ptx_parser *parser)
{
    for (int i = 0; i < parser->module->variable_count; i++) {
        const struct ptx_variable *variable = &parser->module->variables[i];

        for (int j = 0; j < variable->relocation_count; j++) {
            const char *name = variable->relocations[j].symbol;
            const struct ptx_symbol *symbol =
                ptx_symbols_find(&parser->symbols, name, strlen(name));

            if (!symbol->module_variable && !symbol->module_function)
                ptx_fail(parser, "unknown name '%s' in the initial value of '%s'", name,
                         variable->name);
        }
    }
}

/* What only the whole module knows of a function. */
static void finish_function(struct ptx_parser *parser, struct ptx_function *function)
{
    ptx_resolve_locations(parser, function);
    if (!ptx_analyse(parser->module, function, parser->error))
        longjmp(parser->failure, 1);
}

static void parse_module(struct ptx_parser *parser)
{
    struct ptx_module *module = parser->module;

    ptx_advance(parser);
    if (!ptx_at_directive(parser, "version"))
        ptx_fail_expected(parser, ".version, with which PTX starts");
    while (parser->token.kind != PTX_TOKEN_END)
        parse_module_statement(parser);
    if (!module->target)
        ptx_fail(parser, "no .target");

    join_aliases(parser);
    module->variable_count = parser->variables.count;
    module->variables = ptx_list_keep(parser, &parser->variables, sizeof(struct ptx_variable));
    module->function_count = parser->functions.count;
    module->functions = ptx_list_keep(parser, &parser->functions, sizeof(struct ptx_function));
    resolve_module_names(parser);
    check_relocations(parser);
    for (int i = 0; i < module->function_count; i++)
        if (!module->functions[i].rest)
            finish_function(parser, &module->functions[i]);
    complete_aliases(parser);
}

static void parse_rest(struct ptx_parser *parser, struct ptx_function *function)
{
    parser->lexer = function->rest->lexer;
    parser->token = function->rest->token;
    parser->pending = NULL;
    ptx_parse_definition(parser, function);
    resolve_module_names(parser);
    finish_function(parser, function);
    function->rest = NULL;
}

/* A separate function, so that no local variable changes between setjmp() and longjmp(). */
static bool try_to_parse(struct ptx_parser *parser, struct ptx_function *rest)
{
    if (setjmp(parser->failure) != 0)
        return false;
    if (rest)
        parse_rest(parser, rest);
    else
        parse_module(parser);
    return true;
}

static void free_parser(struct ptx_parser *parser)
{
    if (parser)
        ptx_arena_destroy(parser->scratch);
    free(parser);
}

static struct ptx_module *parse(const char *text, size_t length, bool leaves_bodies,
                                struct ptx_error *error)
{
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    struct ptx_arena *arena = ptx_arena_create(), *scratch = ptx_arena_create();
    struct ptx_module *module = arena ? ptx_arena_allocate(arena, sizeof *module) : NULL;
    bool is_parsed = false;

    *error = (struct ptx_error){.line = 0, .message = "not enough memory"};
    if (parser && scratch && module) {
        *module = (struct ptx_module){.arena = arena};
        *parser = (struct ptx_parser){.leaves_bodies = leaves_bodies,
                                      .module = module,
                                      .arena = arena,
                                      .scratch = scratch,
                                      .symbols.arena = arena,
                                      .error = error};
        ptx_lexer_start(&parser->lexer, text, length);
        is_parsed = try_to_parse(parser, NULL);
    } else {
        ptx_arena_destroy(scratch);
    }
    if (is_parsed && leaves_bodies)
        module->parser = parser;
    else
        free_parser(parser);
    if (!is_parsed)
        ptx_arena_destroy(arena);
    return is_parsed ? module : NULL;
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error)
{
    return parse(text, length, false, error);
}

/* A body can be read alone if nothing else depends on it: an indirect call may reach what any body
 * takes the address of, an alias copies a function, and a second translation unit may give names of
 * the first another meaning. */
static bool is_read_in_parts(const char *text, size_t length)
{
    static const char *const words[] = {".callprototype", ".calltargets", ".alias"};
    const char *const version = memmem(text, length, ".version", strlen(".version"));
    const size_t rest = version ? length - (size_t)(version + 1 - text) : 0;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(text, length, words[i], strlen(words[i])))
            return false;
    return version && !memmem(version + 1, rest, ".version", strlen(".version"));
}

struct ptx_module *ptx_parse_heads(const char *text, size_t length, struct ptx_error *error)
{
    return parse(text, length, is_read_in_parts(text, length), error);
}

bool ptx_complete(struct ptx_module *module, const struct ptx_function *function,
                  struct ptx_error *error)
{
    struct ptx_function *const own = &module->functions[function - module->functions];

    if (!own->rest)
        return true;
    module->parser->error = error;
    if (try_to_parse(module->parser, own))
        return true;
    ptx_scopes_abandon(module->parser);
    return false;
}

void ptx_free(struct ptx_module *module)
{
    if (!module)
        return;
    free_parser(module->parser);
    ptx_arena_destroy(module->arena);
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0)
            return &module->variables[i];
    return NULL;
}
