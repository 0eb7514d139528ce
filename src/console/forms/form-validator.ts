import type { RJSFSchema, RJSFValidationError, ValidatorType } from '@rjsf/utils';
import { createErrorHandler, toErrorSchema, unwrapErrorHandler, validationDataMerge } from '@rjsf/utils';
import { pointerParts } from '../../base/json/pointer.js';
import type { Json } from '../../base/json/value.js';
import { validate } from '../../json-schema/validate.js';

/** Validates forms as the gateway and the run do: with the interpreter of JSON Schema that workflows use, which needs no `eval`. */
export const formValidator: ValidatorType = {
  validateFormData(formData, schema, customValidate, transformErrors, uiSchema) {
    const found = errorsOf(schema, formData);
    const errors = transformErrors ? transformErrors(found, uiSchema) : found;
    const data = { errors, errorSchema: toErrorSchema(errors) };
    if (!customValidate) return data;
    const handled = customValidate(formData, createErrorHandler(formData), uiSchema);
    return validationDataMerge(data, unwrapErrorHandler(handled));
  },
  isValid: (schema, formData, root) => errorsOf(withDefinitions(schema, root), formData).length === 0,
  rawValidation: (schema, formData) => ({ errors: errorsOf(schema, formData) as never[] }),
};

/** A part of a schema with the definitions that it may refer to. */
function withDefinitions(schema: RJSFSchema, root: RJSFSchema | undefined): RJSFSchema {
  if (typeof schema !== 'object' || root === undefined) return schema;
  const { $defs, definitions } = root;
  return { ...($defs && { $defs }), ...(definitions && { definitions }), ...schema };
}

function errorsOf(schema: RJSFSchema, formData: unknown): RJSFValidationError[] {
  // Empty fields are undefined, which JSON does not have.
  const value = JSON.parse(JSON.stringify(formData ?? null)) as Json;
  return validate(schema as Json, value).map(({ pointer, keyword, message, schemaPointer, property }) => {
    const path = [...pointerParts(pointer), ...(keyword === 'required' && property !== undefined ? [property] : [])];
    const name = path.map((key) => (/^\d+$/.test(String(key)) ? `[${key}]` : `.${key}`)).join('');
    const text = keyword === 'required' ? 'is required' : message;
    return { name: keyword, message: text, property: name, schemaPath: schemaPointer, stack: `${name} ${text}` };
  });
}
