import Form, { getDefaultRegistry } from '@rjsf/core';
import type {
  ArrayFieldItemTemplateProps,
  BaseInputTemplateProps,
  FieldTemplateProps,
  IconButtonProps,
  RJSFSchema,
  TitleFieldProps,
  UiSchema,
  WidgetProps,
} from '@rjsf/utils';
import { useId, useState } from 'react';
import { isObject, type Json } from '../../base/json/value.js';
import type { RequestFailed } from '../api/client.js';
import { Failure } from '../ui/loading-empty-and-failure.tsx';
import { messages } from '../ui-texts.js';
import { formValidator } from './form-validator.js';
import { JsonField } from './json-field.tsx';

/** Properties of a form for one JSON value. */
export interface SchemaFormProps {
  /** Names the form for screen readers. */
  readonly label: string;
  readonly schema: Json | undefined;
  readonly initial?: Json;
  readonly submit: string;
  readonly change: { readonly isPending: boolean; readonly error: RequestFailed | null };
  onSubmit(value: Json | undefined): void;
}

const { add, remove, up, down, copy } = messages.form.buttons;

function ListButton({ disabled, onClick, id, children }: IconButtonProps) {
  return (
    <button type="button" className="button small" id={id} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}

/** The label of a list's item, which is `items-1` by default. */
function itemLabel(label: string): string {
  return label.replace(/-(\d+)$/, ' $1');
}

function Title({ id, title, required }: TitleFieldProps) {
  return (
    <legend id={id}>
      {itemLabel(title)}
      {required && <span className="required">*</span>}
    </legend>
  );
}

const {
  BaseInputTemplate: Input,
  FieldTemplate: Field,
  ArrayFieldItemButtonsTemplate: ItemButtons,
} = getDefaultRegistry().templates;

function FieldOrItem(props: FieldTemplateProps) {
  const isItem = typeof props.fieldPathId.path.at(-1) === 'number';
  return <Field {...props} label={isItem ? itemLabel(props.label) : props.label} />;
}

/** An item of a list: its fields with the buttons beside them. */
function Item({ children, displayLabel, hasToolbar, buttonsProps }: ArrayFieldItemTemplateProps) {
  return (
    <div className={displayLabel ? 'array-item simple' : 'array-item'}>
      {children}
      {hasToolbar && (
        <div className="btn-group">
          <ItemButtons {...buttonsProps} />
        </div>
      )}
    </div>
  );
}

/** A value that the schema gives for an empty input: its first example, or its default. */
function placeholderOf({ examples, default: preset }: RJSFSchema): string {
  const value = (Array.isArray(examples) ? examples[0] : undefined) ?? preset;
  return value === undefined || value === null || typeof value === 'object' ? '' : messages.form.example(String(value));
}

/** An input with a placeholder. One of type `number` would drop what a browser cannot read: `12,50` became 1250. As text it is rejected. */
function InputOrNumber(props: BaseInputTemplateProps) {
  const isNumber = [props.schema.type].flat().some((it) => it === 'number' || it === 'integer');
  const placeholder = props.placeholder || placeholderOf(props.schema);
  if (!isNumber) return <Input {...props} placeholder={placeholder} />;
  return (
    <Input {...props} placeholder={placeholder} inputMode="decimal" options={{ ...props.options, inputType: 'text' }} />
  );
}

/** Titles, labels, inputs, and buttons of lists with texts instead of the icons of a font. */
const templates = {
  ArrayFieldItemTemplate: Item,
  BaseInputTemplate: InputOrNumber,
  FieldTemplate: FieldOrItem,
  TitleFieldTemplate: Title,
  ButtonTemplates: {
    AddButton: (props: IconButtonProps) => <ListButton {...props}>{add}</ListButton>,
    RemoveButton: (props: IconButtonProps) => <ListButton {...props}>{remove}</ListButton>,
    MoveUpButton: (props: IconButtonProps) => <ListButton {...props}>{up}</ListButton>,
    MoveDownButton: (props: IconButtonProps) => <ListButton {...props}>{down}</ListButton>,
    CopyButton: (props: IconButtonProps) => <ListButton {...props}>{copy}</ListButton>,
  },
};

/** A yes or no that the reader gives explicitly: an empty checkbox would not tell a no from no answer. */
function YesOrNo({ id, label, value, required, disabled, onChange }: WidgetProps) {
  return (
    <fieldset className="yes-no">
      <legend>
        {label}
        {required && <span className="required">*</span>}
      </legend>
      {[true, false].map((it) => (
        <label key={String(it)}>
          <input
            type="radio"
            name={id}
            checked={value === it}
            disabled={disabled ?? false}
            onChange={() => onChange(it)}
          />
          {it ? messages.form.yes : messages.form.no}
        </label>
      ))}
    </fieldset>
  );
}

/** A required yes or no has no default: "no" must be an answer, too. */
const noAnswerYet = { requiredBooleanDefault: 'skip' } as const;

const widgets = { CheckboxWidget: YesOrNo };

const uiSchema: UiSchema = {
  'ui:submitButtonOptions': { norender: true },
  // Buttons that move items would leave no room for their fields.
  'ui:globalOptions': { orderable: false },
};

/** A form made from a JSON Schema, which can also be filled in as JSON. A schema without fields has the JSON form only. */
export function SchemaForm({ label, schema, initial, submit, change, onSubmit }: SchemaFormProps) {
  const fields = hasFields(schema) ? (schema as RJSFSchema) : undefined;
  const [asJson, setAsJson] = useState(fields === undefined);
  const [value, setValue] = useState<Json | undefined>(initial);
  const [valid, setValid] = useState(true);
  const id = useId();
  const buttons = (
    <div className="actions">
      <button type="submit" className="button primary" disabled={change.isPending || !valid}>
        {submit}
      </button>
      {fields && (
        <button type="button" className="button quiet small" onClick={() => setAsJson(!asJson)}>
          {asJson ? messages.form.asFields : messages.form.asJson}
        </button>
      )}
    </div>
  );
  return (
    <section className="schema-form" aria-label={label}>
      {asJson || !fields ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit(value);
          }}
        >
          <JsonField
            label={messages.form.json}
            value={value}
            onValue={(next, isValid) => {
              setValid(isValid);
              if (isValid) setValue(next);
            }}
          />
          {change.error && <Failure error={change.error} />}
          {buttons}
        </form>
      ) : (
        <Form
          idPrefix={id}
          schema={fields}
          uiSchema={uiSchema}
          templates={templates}
          widgets={widgets}
          experimental_defaultFormStateBehavior={noAnswerYet}
          formData={value}
          validator={formValidator}
          showErrorList={false}
          focusOnFirstError
          noHtml5Validate
          // The violations are shown at their fields.
          onError={() => undefined}
          onChange={({ formData }) => setValue(formData as Json)}
          onSubmit={({ formData }) => onSubmit(formData as Json)}
        >
          {change.error && <Failure error={change.error} />}
          {buttons}
        </Form>
      )}
    </section>
  );
}

function hasFields(schema: Json | undefined): boolean {
  if (!isObject(schema)) return false;
  return isObject(schema.properties) || (typeof schema.type === 'string' && schema.type !== 'object');
}
