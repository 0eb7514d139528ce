import { stateTypes } from '../../../src/language/states/registry.js';

/** A valid document, in which each mistake replaces a part. */
export const good = `apiVersion: v1
kind: Journey
metadata:
  name: tea
  version: 1.0.0
spec:
  input:
    schema:
      type: object
      required: [leaf]
      properties:
        leaf: { type: string }
        cups: { type: integer }
  start: water
  states:
    water:
      type: task
      task:
        kind: httpCall:v1
        method: GET
        url: https://tea.example/pots/1
        resultVar: water
      next: hot
    hot:
      type: choice
      choices:
        - when:
            predicate: { lang: dataweave, expr: context.water.ok }
          next: ask
      default: cold
    ask:
      type: wait
      wait:
        channel: manual
        input: { schema: { type: object, properties: { milk: { type: boolean } } } }
        timeoutSec: 60
        onTimeout: rest
      next: pour
    rest:
      type: timer
      timer: { duration: PT5M }
      next: pour
    pour:
      type: transform
      transform:
        mapper:
          lang: dataweave
          expr: '{ cup: context.leaf, status: "POURED" }'
        target: { kind: var }
        resultVar: answer
      next: done
    done: { type: succeed, outputVar: answer }
    cold: { type: fail, errorCode: COLD, reason: The water is cold }
`;

/** A mistake of a new author: its name, the replaced text, its replacement, and the findings line by line. */
export type Mistake = [name: string, instead: string, written: string, findings: string[]];

/** Mistakes of new authors, with the exact findings of each. */
export const mistakes: Mistake[] = [
  [
    'a tab',
    '      type: timer',
    '	type: timer',
    ['40:1 error DOC_YAML_TAB Tabs cannot be used to indent. (Indent with spaces.)'],
  ],
  [
    'a line too deep',
    '      next: hot',
    '       next: hot',
    [
      '23:8 error DOC_PARSE This line is indented like none of those that it could belong to. (Fields of one level start in the same column. Use two spaces per level.)',
    ],
  ],
  [
    'a line too shallow',
    '      next: hot',
    '     next: hot',
    [
      '23:6 error DOC_PARSE This line is indented like none of those that it could belong to. (Fields of one level start in the same column. Use two spaces per level.)',
    ],
  ],
  [
    'a block too deep after a value',
    '      timer: { duration: PT5M }',
    '       timer: { duration: PT5M }',
    [
      '41:8 error DOC_PARSE This line is indented further than the one above it, which is complete. (Fields of one level start in the same column. Use two spaces per level.)',
    ],
  ],
  [
    'no colon',
    '      next: hot',
    '      next hot',
    ['23:7 error DOC_PARSE This line has no colon and space after its key. (Write it as `key: value`.)'],
  ],
  [
    'no space after the colon',
    '      next: hot',
    '      next:hot',
    ['23:7 error DOC_PARSE This line has no colon and space after its key. (Write it as `key: value`.)'],
  ],
  [
    'a colon in a text',
    'reason: The water is cold }',
    'reason: The water: cold }',
    [
      '53:50 error DOC_PARSE A comma is missing between the members of { } or [ ], or a text with a colon has no quotes. (Separate members with commas; put a text that holds a colon in quotes.)',
    ],
  ],
  [
    'a colon in a text, on a line',
    '  version: 1.0.0',
    '  version: 1.0.0\n  description: Tea: the drink',
    [
      '6:16 error DOC_PARSE The value holds a colon and a space, which begin another value. (Put the whole text in quotes.)',
    ],
  ],
  [
    'a quote that is not closed',
    `expr: '{ cup: context.leaf, status: "POURED" }'`,
    `expr: '{ cup: context.leaf, status: "POURED" }`,
    ['48:17 error DOC_PARSE The quote that begins here is not closed.'],
  ],
  [
    'a brace that is not closed',
    'timer: { duration: PT5M }',
    'timer: { duration: PT5M',
    ['42:7 error DOC_PARSE A } is missing before this line. (Close what { opened.)'],
  ],
  [
    'a comma that is missing',
    '{ lang: dataweave, expr: context.water.ok }',
    '{ lang: dataweave expr: context.water.ok }',
    [
      '28:32 error DOC_PARSE A comma is missing between the members of { } or [ ], or a text with a colon has no quotes. (Separate members with commas; put a text that holds a colon in quotes.)',
    ],
  ],
  [
    'an apostrophe in single quotes',
    'reason: The water is cold }',
    `reason: 'It's cold' }`,
    [
      '53:54 error DOC_PARSE "s" stands after the end of the value before it. (Put the whole text in quotes; inside single quotes, an apostrophe is written twice.)',
    ],
  ],
  [
    'a text that begins with @',
    '  version: 1.0.0',
    '  version: 1.0.0\n  description: @tea',
    ['6:16 error DOC_PARSE An unquoted text cannot start with @. (Put the whole text in quotes.)'],
  ],
  [
    'a backslash in double quotes',
    'url: https://tea.example/pots/1',
    'url: "https://tea.example/\\d"',
    [
      '21:35 error DOC_PARSE \\d means nothing in double quotes. (Use single quotes, in which a backslash is a backslash, or write it twice.)',
    ],
  ],
  [
    'the same key twice',
    '      next: hot',
    '      next: hot\n      next: cold',
    ['24:7 error DOC_DUPLICATE_KEY The key "next" appears twice. (Keep one of them, or rename one.)'],
  ],
  [
    'yes without quotes',
    'errorCode: COLD',
    'errorCode: no',
    [
      '53:36 error DOC_YAML_IMPLICIT_TYPE no is a boolean to some YAML readers and text to others. (Put it in quotes. For a boolean, write true or false.)',
    ],
  ],
  [
    'a version that is a number',
    'version: 1.0.0',
    'version: 1.0',
    [
      '5:12 error META_VERSION A version has three numbers, not the number 1. (Write three numbers in quotes, like "1.0.0".)',
    ],
  ],
  [
    'a name with capitals',
    'name: tea',
    'name: Tea Time',
    [
      '4:9 error META_NAME "Tea Time" is not a valid name. (Use lower-case letters, digits and inner dashes, like order-approval.)',
    ],
  ],
  [
    'apiVersion misspelt',
    'apiVersion: v1',
    'apiversion: v1',
    ['1:1 error UNKNOWN_FIELD "apiversion" is not a field here. (Did you mean "apiVersion"?)'],
  ],
  [
    'apiVersion of something else',
    'apiVersion: v1',
    'apiVersion: journeys/v1',
    ['1:13 error DOC_API_VERSION apiVersion must be v1, not the text "journeys/v1". (Write apiVersion: v1.)'],
  ],
  [
    'an unknown kind',
    'kind: Journey',
    'kind: Workflow',
    ['2:7 error DOC_KIND kind must be Journey or Api, not the text "Workflow". (Known: Journey, Api.)'],
  ],
  [
    'metadata misspelt',
    'metadata:',
    'metdata:',
    ['3:1 error UNKNOWN_FIELD "metdata" is not a field here. (Did you mean "metadata"?)'],
  ],
  ['spec misspelt', 'spec:', 'specs:', ['6:1 error UNKNOWN_FIELD "specs" is not a field here. (Did you mean "spec"?)']],
  [
    `a top-level key of one's own`,
    'kind: Journey',
    'kind: Journey\nowner: me',
    ['3:1 error UNKNOWN_FIELD "owner" is not a field here. (Known: apiVersion, kind, metadata, spec.)'],
  ],
  [
    'a block of spec misspelt',
    '  input:\n',
    '  inputs:\n',
    ['7:3 error UNKNOWN_FIELD "inputs" is not a field here. (Did you mean "input"?)'],
  ],
  [
    'states misspelt',
    '  states:\n',
    '  stats:\n',
    ['15:3 error UNKNOWN_FIELD "stats" is not a field here. (Did you mean "states"?)'],
  ],
  [
    'keywords of a JSON Schema misspelt',
    `      required: [leaf]
      properties:
        leaf: { type: string }`,
    `      requierd: [leaf]
      additionalPropertes: false
      properties:
        leaf: { tpye: string, eunm: [a], minLenght: 1, default: { requierd: 1 }, x-minLenght: 1, note: { minLenght: 1 } }
        requierd: { readonly: true, nullable: true, anyOf: [{ proprties: { titel: 1 } }] }`,
    [
      '10:7 warning SCHEMA_KEYWORD "requierd" is not a keyword of JSON Schema and is ignored. (Did you mean "required"?)',
      '11:7 warning SCHEMA_KEYWORD "additionalPropertes" is not a keyword of JSON Schema and is ignored. (Did you mean "additionalProperties"?)',
      '13:17 warning SCHEMA_KEYWORD "tpye" is not a keyword of JSON Schema and is ignored. (Did you mean "type"?)',
      '13:31 warning SCHEMA_KEYWORD "eunm" is not a keyword of JSON Schema and is ignored. (Did you mean "enum"?)',
      '13:42 warning SCHEMA_KEYWORD "minLenght" is not a keyword of JSON Schema and is ignored. (Did you mean "minLength"?)',
      '14:21 warning SCHEMA_KEYWORD "readonly" is not a keyword of JSON Schema and is ignored. (Did you mean "readOnly"?)',
      '14:63 warning SCHEMA_KEYWORD "proprties" is not a keyword of JSON Schema and is ignored. (Did you mean "properties"?)',
    ],
  ],
  [
    'no mistake: the status of the outcome among the fields of output.response',
    '  start: water\n',
    '  output: { response: { outputVar: answer, schema: { type: object, required: [status], properties: { status: { type: string } } } } }\n  start: water\n',
    [],
  ],
  [
    'a quote that is not closed, and others after it',
    `"POURED" }'\n        target: { kind: var }`,
    `"POURED" }\n        target: { kind: 'var' }`,
    ['48:17 error DOC_PARSE The quote that begins here is not closed.'],
  ],
  [
    'a dash among fields',
    '    rest:\n      type: timer',
    '    - rest:\n      type: timer',
    [
      '39:5 error DOC_PARSE A dash begins an entry of a list, and the lines above it are fields. (Write the name of a field, without the dash; or begin all of them with a dash.)',
    ],
  ],
  [
    'a comma in a text in braces',
    'reason: The water is cold }',
    'reason: The water is cold, and the pot is }',
    [
      '53:69 error UNKNOWN_FIELD "and the pot is" is not a field here. (In { } a comma starts the next field: quote the text that contains it.)',
    ],
  ],
  [
    'a field by the beginning of its name',
    'timeoutSec: 60',
    'timeout: 60',
    ['36:9 error UNKNOWN_FIELD "timeout" is not a field here. (Did you mean "timeoutSec"?)'],
  ],
  [
    'a field by the end of its name',
    'errorCode: COLD',
    'code: COLD',
    ['53:25 error UNKNOWN_FIELD "code" is not a field here. (Did you mean "errorCode"?)'],
  ],
  [
    'a variable with the context before it',
    'outputVar: answer',
    'outputVar: context.answer',
    [
      '52:39 error IDENT outputVar must be a variable name, not the text "context.answer". (Write answer: it names a field of the context.)',
    ],
  ],
  [
    'a default among the branches',
    '      default: cold\n',
    '        - default: cold\n',
    [
      '30:11 error UNKNOWN_FIELD "default" is not a field here. (It belongs one level up, beside choices, without a dash.)',
    ],
  ],
  [
    'branches without a dash',
    '        - when:\n            predicate: { lang: dataweave, expr: context.water.ok }\n          next: ask',
    '          when: { predicate: { lang: dataweave, expr: context.water.ok } }\n          next: ask',
    [
      '26:7 error CHOICE_EMPTY choices must be a list with at least one branch, not an object. (Begin each branch with a dash: - when: …)',
    ],
  ],
  [
    'a condition with a question mark',
    'expr: context.water.ok',
    `expr: 'context.water.ok ? true : false'`,
    [`28:69 error DW_PARSE_ERROR Expected the end of the expression, found 'true' (write 'if (condition) a else b')`],
  ],
  [
    'bindings in the metadata of the document',
    '  version: 1.0.0',
    '  version: 1.0.0\n  bindings: { tags: {} }',
    ['6:3 warning UNKNOWN_FIELD "bindings" is not a field here. (It belongs under spec.metadata.)'],
  ],
  [
    'the source of an attribute under its name',
    '  start: water\n',
    '  metadata: { bindings: { attributes: { leaf: { fromPayload: { path: leaf } } } } }\n  start: water\n',
    [
      '14:41 error META_BINDING_SHAPE "leaf" is neither fromPayload, fromHeaders nor fromBaggage. (Write fromPayload: { leaf: { path: … } }.)',
    ],
  ],
  [
    'a policy without one of its fields, which is misspelt',
    '  start: water\n',
    '  policies: { httpResilience: { definitions: { calm: { maxAttempt: 3 } } } }\n  start: water\n',
    ['14:56 error UNKNOWN_FIELD "maxAttempt" is not a field here. (Did you mean "maxAttempts"?)'],
  ],
  [
    'a method in DataWeave',
    'context.leaf, status',
    'context.leaf.trim(), status',
    [
      `48:25 warning EXPR_NO_FUNCTION 'context.leaf.trim' is data and cannot be called: the call returns null or fails (DataWeave has no methods; pass the value to a function, as in 'trim(context.leaf)')`,
    ],
  ],
  [
    'a function of JSONata misspelt',
    `lang: dataweave\n          expr: '{ cup: context.leaf, status: "POURED" }'`,
    `lang: jsonata\n          expr: '{ "cup": $upercase(context.leaf), "n": $count([1]), "f": ($f := function($x) { $x }; $f(1)) }'`,
    ['48:27 warning EXPR_NO_FUNCTION Unknown function $upercase: calling it fails. (Did you mean $uppercase?)'],
  ],
  [
    'the schema of a step beside its input',
    'input: { schema: { type: object, properties: { milk: { type: boolean } } } }',
    'schema: { type: object }',
    ['35:9 error UNKNOWN_FIELD "schema" is not a field here. (It belongs one level deeper, under input.)'],
  ],
  [
    'a subjourney misspelt',
    '  start: water\n',
    '  subjourneys: { brew: { start: a, states: { a: { type: subjourney, subjourney: { ref: brw }, next: b }, b: { type: succeed } } } }\n  start: water\n',
    ['14:88 error SUBJ_REF_UNKNOWN There is no subjourney "brw". (Did you mean "brew"?)'],
  ],
  [
    'a duration in short',
    'duration: PT5M',
    'duration: 3d',
    ['41:26 error TIMER_DURATION The text "3d" is not a valid duration. (Write P3D, in ISO-8601 format.)'],
  ],
  [
    'start names nothing',
    '  start: water\n',
    '  start: watr\n',
    ['14:10 error START_UNKNOWN The journey has no state "watr" to start at. (Did you mean "water"?)'],
  ],
  [
    'no start',
    '  start: water\n',
    '',
    ['6:1 error START_UNKNOWN The journey has no start. (Add start with the id of a state.)'],
  ],
  [
    'a state type misspelt',
    'type: timer',
    'type: timr',
    ['40:13 error STATE_TYPE There is no state type "timr". (Did you mean "timer"?)'],
  ],
  [
    'no type',
    '{ type: fail, errorCode',
    '{ errorCode',
    [`53:5 error STATE_TYPE The state has no type. (Known: ${[...stateTypes.keys()].join(', ')}.)`],
  ],
  [
    'next names nothing',
    '      next: hot',
    '      next: hott',
    ['23:13 error REF_UNKNOWN The journey has no state "hott". (Did you mean "hot"?)'],
  ],
  [
    'no next',
    '      next: hot\n',
    '',
    ['16:5 error NEXT_MISSING The state has no next. (Add next with the id of a state in the same graph.)'],
  ],
  [
    'next in the block',
    '        resultVar: water\n      next: hot',
    '        resultVar: water\n        next: hot',
    ['23:9 error UNKNOWN_FIELD "next" is not a field here. (It belongs one level up, beside type.)'],
  ],
  [
    `a block's field beside it`,
    '        resultVar: water\n',
    '      resultVar: water\n',
    [
      '18:7 warning RESULT_DROPPED The call has no resultVar, so its result is lost. (Add resultVar, or use mode: notify.)',
      '22:7 error UNKNOWN_FIELD "resultVar" is not a field here. (It belongs one level deeper, under task.)',
    ],
  ],
  [
    'a state inside another',
    '    rest:\n      type: timer',
    '      rest:\n        type: timer',
    [
      '37:20 error REF_UNKNOWN The journey has no state "rest". (Known: water, hot, ask, pour, done, cold.)',
      '39:7 error UNKNOWN_FIELD "rest" is not a field here. (It looks like a state: indent it as far as the state above it.)',
      '41:7 error UNKNOWN_FIELD "timer" is not a field here. (Known: wait, type, next, default, response.)',
      '42:7 error DOC_DUPLICATE_KEY The key "next" appears twice. (Keep one of them, or rename one.)',
    ],
  ],
  [
    'default misspelt',
    '      default: cold',
    '      defalt: cold',
    ['30:7 error UNKNOWN_FIELD "defalt" is not a field here. (Did you mean "default"?)'],
  ],
  [
    'no default',
    '      default: cold\n',
    '',
    [
      '24:5 warning CHOICE_NO_DEFAULT When no branch matches, the run fails. (Add default.)',
      '52:5 warning STATE_UNREACHABLE Nothing leads to "cold". (Remove it, or point a next at it.)',
    ],
  ],
  [
    'a predicate without when',
    '        - when:\n            predicate: { lang: dataweave, expr: context.water.ok }',
    '        - predicate: { lang: dataweave, expr: context.water.ok }',
    [
      '27:11 error PREDICATE_REQUIRED The branch has no predicate under when. (Write when: with the expression, for example when: context.total > 500.)',
    ],
  ],
  [
    'an unknown lang',
    'lang: dataweave, expr: context.water.ok',
    'lang: javascript, expr: context.water.ok',
    [`28:32 error LANG_UNKNOWN Unknown expression language 'javascript' (Use dataweave or jsonata.)`],
  ],
  [
    'lang misspelt',
    'lang: dataweave, expr: context.water.ok',
    'lang: datawaeve, expr: context.water.ok',
    [`28:32 error LANG_UNKNOWN Unknown expression language 'datawaeve' (Did you mean 'dataweave'?)`],
  ],
  [
    'a predicate that is no boolean',
    'expr: context.water.ok',
    'expr: context.water.status + 1',
    [
      '28:49 error PREDICATE_NOT_BOOLEAN A predicate must return true or false, and this expression never does. (Compare explicitly, like context.flag == true.)',
    ],
  ],
  [
    'one equals sign',
    'expr: context.water.ok',
    'expr: context.water.status = 200',
    [`28:70 error DW_PARSE_ERROR Expected the end of the expression, found '=' (compare with '==')`],
  ],
  [
    'ampersands',
    'expr: context.water.ok',
    'expr: context.water.ok && context.cups > 1',
    [`28:66 error DW_PARSE_ERROR Expected the end of the expression, found '&' (write 'and')`],
  ],
  [
    'context misspelt',
    'expr: context.water.ok',
    'expr: contxt.water.ok',
    [`28:49 warning DW-D14 'contxt' is not bound here and is read from the context (did you mean 'context.water.ok'?)`],
  ],
  [
    'a variable misspelt',
    'expr: context.water.ok',
    'expr: context.watr.ok',
    ['28:57 warning CONTEXT_UNWRITTEN No path to "hot" writes context.watr. (Did you mean context.water?)'],
  ],
  [
    'a field of the call misspelt',
    'expr: context.water.ok',
    'expr: context.water.boddy.hot',
    ['28:63 warning CONTEXT_UNWRITTEN No path to "hot" writes context.water.boddy. (Did you mean context.water.body?)'],
  ],
  [
    'a field that nobody declares',
    'expr: context.water.ok',
    'expr: context.sugar > 2',
    [
      '28:57 warning CONTEXT_UNWRITTEN No path to "hot" writes context.sugar. (Write it in an earlier state, or declare it in input.schema.)',
    ],
  ],
  [
    'a bare variable',
    'expr: context.water.ok',
    'expr: water.ok',
    [`28:49 warning DW-D14 'water' is not bound here and is read from the context (write 'context.water')`],
  ],
  [
    'an unknown function',
    'expr: context.water.ok',
    'expr: isEmty(context.water)',
    [`28:49 error DW_UNKNOWN_VARIABLE Unknown function 'isEmty' (did you mean 'isEmpty'?)`],
  ],
  [
    'a bracket that is not closed in an expression',
    'expr: context.water.ok',
    'expr: (context.water.ok',
    [`28:65 error DW_PARSE_ERROR Expected ')', found the end`],
  ],
  [
    'outputVar misspelt',
    'outputVar: answer',
    'outputVar: anwser',
    ['52:39 warning OUTPUT_UNWRITTEN No path to "done" writes context.anwser. (Did you mean "answer"?)'],
  ],
  [
    'resultVar with a dash',
    'resultVar: water',
    'resultVar: hot-water',
    [
      '22:20 error IDENT resultVar must be a variable name, not the text "hot-water". (Use letters, digits and _, not starting with a digit.)',
    ],
  ],
  [
    'kind of a task without its version',
    'kind: httpCall:v1',
    'kind: httpCall',
    [
      '19:9 error TASK_KIND_FORMAT task.kind must look like httpCall:v1, not the text "httpCall". (Did you mean "httpCall:v1"?)',
    ],
  ],
  [
    'an unknown kind of task',
    'kind: httpCall:v1',
    'kind: httpcall:v1',
    ['19:15 error TASK_KIND_UNKNOWN There is no task kind "httpcall:v1". (Did you mean "httpCall:v1"?)'],
  ],
  [
    'an unknown method',
    'method: GET',
    'method: FETCH',
    [
      '20:17 error HTTP_METHOD method must be one of GET, POST, PUT, PATCH, DELETE, not the text "FETCH". (Known: GET, POST, PUT, PATCH, DELETE.)',
    ],
  ],
  [
    'a method in small letters',
    'method: GET',
    'method: get',
    [
      '20:17 error HTTP_METHOD method must be one of GET, POST, PUT, PATCH, DELETE, not the text "get". (Did you mean "GET"?)',
    ],
  ],
  [
    'a URL without its scheme',
    'url: https://tea.example/pots/1',
    'url: tea.example/pots/1',
    [
      '21:14 error HTTP_URL The URL must be absolute, not the text "tea.example/pots/1". (Start it with https:// or http://.)',
    ],
  ],
  [
    'GAP-23 a retry of its own',
    'url: https://tea.example/pots/1',
    'url: https://tea.example/pots/1\n        retry: { maxAttempts: 3 }',
    [
      '22:9 error UNKNOWN_FIELD "retry" is not a field here. (Name a policy of spec.policies.httpResilience with resiliencePolicyRef.)',
    ],
  ],
  [
    'a placeholder of another kind',
    'url: https://tea.example/pots/1',
    'url: https://tea.example/{{context.leaf}}',
    [
      '21:14 warning INTERPOLATION_LITERAL {{context.leaf}} is sent literally. (Write ${context.<path>}; or %7B and %7D, if braces are meant.)',
    ],
  ],
  [
    'a placeholder with a call',
    'url: https://tea.example/pots/1',
    'url: https://tea.example/${upper(context.leaf)}',
    [
      '21:14 error INTERPOLATION_SYNTAX ${upper(context.leaf)} is not a placeholder. (Only ${context.<path>} is replaced, and in a map ${item.<path>} and ${index}; compute anything else in a transform first.)',
    ],
  ],
  [
    'a placeholder misspelt',
    'url: https://tea.example/pots/1',
    'url: https://tea.example/${context.laef}',
    ['21:44 warning CONTEXT_UNWRITTEN No path to "water" writes context.laef. (Did you mean context.leaf?)'],
  ],
  [
    'a body on a GET',
    '        resultVar: water',
    '        body: { a: 1 }\n        resultVar: water',
    ['22:9 error HTTP_BODY_ON_GET A GET has no body. (Remove the body, or use another method.)'],
  ],
  [
    'no resultVar',
    '        resultVar: water\n',
    '',
    [
      '18:7 warning RESULT_DROPPED The call has no resultVar, so its result is lost. (Add resultVar, or use mode: notify.)',
      '27:57 warning CONTEXT_UNWRITTEN No path to "hot" writes context.water. (Write it in an earlier state, or declare it in input.schema.)',
    ],
  ],
  [
    'a timeout as text',
    '        resultVar: water',
    '        timeoutMs: 5s\n        resultVar: water',
    [
      '22:20 error HTTP_TIMEOUT timeoutMs must be a whole number, at least 1, not the text "5s". (Write 5000; the unit is milliseconds.)',
    ],
  ],
  [
    'an operation of an unknown API',
    '        method: GET\n        url: https://tea.example/pots/1',
    '        operationRef: shop.getPot',
    ['20:23 error OPREF_API spec.apis has no "shop". (Declare it with openApiRef.)'],
  ],
  [
    'a duration in words',
    'duration: PT5M',
    'duration: 5 minutes',
    ['41:26 error TIMER_DURATION The text "5 minutes" is not a valid duration. (Write PT5M, in ISO-8601 format.)'],
  ],
  [
    'a timer with both',
    'timer: { duration: PT5M }',
    'timer: { duration: PT5M, until: "2031-01-01T00:00:00Z" }',
    ['41:7 error TIMER_XOR The timer has both duration and until.'],
  ],
  [
    'an instant without a zone',
    'timer: { duration: PT5M }',
    'timer: { until: "2031-01-01 09:00" }',
    [
      '41:23 error TIMER_UNTIL The text "2031-01-01 09:00" is not a valid instant. (Use RFC 3339 with a zone, like 2030-01-31T09:00:00Z.)',
    ],
  ],
  [
    'a channel that is not there',
    'channel: manual',
    'channel: email',
    [
      '34:9 error WAIT_CHANNEL channel must be manual, not the text "email". (For callbacks from other systems, use type: webhook.)',
    ],
  ],
  [
    'a step without a schema',
    '        input: { schema: { type: object, properties: { milk: { type: boolean } } } }\n',
    '',
    [
      '33:7 error WAIT_SCHEMA_MISSING The step does not describe the body it accepts. (Describe the body the step accepts.)',
    ],
  ],
  [
    'a type of a schema misspelt',
    'leaf: { type: string }',
    'leaf: { type: strng }',
    [
      '12:23 error SCHEMA_INVALID type must be one of array, boolean, integer, null, number, object, string, not the text "strng". (Did you mean "string"?)',
    ],
  ],
  [
    'required that is no list',
    'required: [leaf]',
    'required: leaf',
    ['10:17 error SCHEMA_INVALID required must be array, not the text "leaf".'],
  ],
  [
    'timeoutSec without onTimeout',
    '        onTimeout: rest\n',
    '',
    [
      '33:7 error WAIT_ONTIMEOUT_MISSING timeoutSec needs onTimeout. (Set onTimeout to the state that follows a timeout.)',
    ],
  ],
  [
    'fail without a reason',
    ', reason: The water is cold }',
    ' }',
    ['53:5 error FAIL_FIELDS reason is missing; it must be a non-empty text.'],
  ],
  [
    'a target that is not there',
    'target: { kind: var }',
    'target: { kind: variable }',
    [
      '49:25 error TRANSFORM_TARGET target.kind must be one of context, var, attributes, not the text "variable". (Known: context, var, attributes.)',
    ],
  ],
  [
    'no resultVar for a variable',
    '        resultVar: answer\n',
    '',
    [
      '45:7 error TRANSFORM_VAR_NO_RESULTVAR target.kind is var, but resultVar is missing. (Add resultVar beside target.)',
    ],
  ],
  [
    'the answer as the whole context instead of its variable',
    'target: { kind: var }\n        resultVar: answer',
    'target: { kind: context }',
    [
      '51:39 warning OUTPUT_UNWRITTEN No path to "done" writes context.answer. (Use a resultVar of an earlier state, or a field of input.schema.)',
    ],
  ],
  [
    'a state nobody leads to',
    '      default: cold',
    '      default: ask',
    ['53:5 warning STATE_UNREACHABLE Nothing leads to "cold". (Remove it, or point a next at it.)'],
  ],
  [
    'a password in a header',
    '        resultVar: water',
    '        headers: { Authorization: Bearer abc123def }\n        resultVar: water',
    [
      '22:35 warning SECRET_IN_TEXT Authorization is written into the document. (Move it to the secrets of the configuration, and refer to it with auth.policyRef or secret://….)',
    ],
  ],
  [
    'a field of a state that is indented too little',
    '        resultVar: water\n      next: hot',
    '        resultVar: water\n    next: hot',
    [
      '16:5 error NEXT_MISSING The state has no next. (Add next with the id of a state in the same graph.)',
      '23:11 error STATE_TYPE A state is an object with a type, not the text "hot". (If next is meant as a field of the state above it, indent it as far as that state\'s type.)',
    ],
  ],
  [
    'minutes where seconds are meant',
    'timeoutSec: 60',
    'timeoutSec: 5m',
    [
      '36:21 error WAIT_TIMEOUT timeoutSec must be a whole number, at least 1, not the text "5m". (Write 300; the unit is seconds.)',
    ],
  ],
  [
    'a number in quotes',
    'timeoutSec: 60',
    'timeoutSec: "60"',
    [
      '36:21 error WAIT_TIMEOUT timeoutSec must be a whole number, at least 1, not the text "60". (Write 60, without quotes.)',
    ],
  ],
  [
    'an expression in braces without quotes',
    'expr: context.water.ok }',
    'expr: { ok: context.water } }',
    [
      '28:43 error EXPR_REQUIRED YAML reads this as an object, and an expression is a text. (Put the expression in quotes, or on lines of its own after expr: |.)',
    ],
  ],
  [
    'no mistake: a call that failed says by its code that a secret of ours is missing',
    'expr: context.water.ok }',
    'expr: \'context.water.error.code != "SECRET_UNKNOWN"\' }',
    [],
  ],
];
