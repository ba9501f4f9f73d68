/** A draft as a form, made from the definition of its type or of a profile. The text of the draft stays the truth. */
import { Alert, Button, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useImperativeHandle, useMemo, useRef, useState, type Ref } from 'react';
import { get } from '../../../api/fhir';
import { Failure, type Issue } from '../../../api/failure';
import { isArray, isObject, objectsOf, parseJson, textOf, type JsonObject } from '../../../api/json';
import { setIn } from '../../../editor/json-edit';
import { useStructure } from '../../../editor/snapshots';
import { fieldsOf, readForm, templateOf } from '../../../fhir/form/form-definition';
import type { FormDefinition } from '../../../fhir/form/form-types';
import { sizeOf } from '../../../fhir/weight';
import { Loading } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { Fields } from './fields';
import { FieldsView } from './fields-view';
import { fieldId, FormDraftContext, pathOf, placeIssues } from './form-draft';

const words = texts.form;

export interface RecordFormProps {
  readonly space: Space;
  readonly type: string;
  readonly text: string;
  readonly issues: readonly Issue[];
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  readonly ref?: Ref<{ readonly go: (issue: Issue) => void }>;
}

function recordIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Characters; a file of some 200 kB may be in it. Each change reads all of the text. */
const LONGEST = 400_000;
/** Values that are not the content of files. */
const MOST_VALUES = 5_000;

export default function RecordForm(props: RecordFormProps) {
  if (props.text.length > LONGEST) return <Alert color="gray">{words.tooLarge}</Alert>;
  return <ParsedForm {...props} />;
}

function ParsedForm(props: RecordFormProps) {
  const { text } = props;
  const record = useMemo(() => recordIn(text), [text]);
  if (record === undefined) return <Alert color="orange">{words.notJson}</Alert>;
  if (sizeOf(record, MOST_VALUES) >= MOST_VALUES) return <Alert color="gray">{words.tooLarge}</Alert>;
  return <Form {...props} record={record} />;
}

function profilesIn(record: JsonObject): readonly string[] {
  const { meta } = record;
  const profiles = isObject(meta) ? meta['profile'] : undefined;
  return isArray(profiles) ? profiles.flatMap((each) => textOf(each) ?? []) : [];
}

interface Profile {
  readonly url: string;
  readonly title: string;
}

/** The profiles of a type that the server has; none where the caller may not read them. */
function useProfiles({ tenant, release }: Space, type: string): readonly Profile[] {
  const { data } = useQuery({
    queryKey: ['profiles', tenant, release, type],
    queryFn: async ({ signal }) => {
      const query = `type=${type}&derivation=constraint&_elements=url,title,name&_count=200`;
      try {
        const { value } = await get({ tenant, release }, `StructureDefinition?${query}`, signal);
        return objectsOf(value['entry']).flatMap(({ resource }): Profile[] => {
          const url = isObject(resource) ? textOf(resource['url']) : undefined;
          if (url === undefined || !isObject(resource)) return [];
          return [{ url, title: textOf(resource['title']) ?? textOf(resource['name']) ?? url }];
        });
      } catch (error) {
        if (error instanceof Failure && error.status >= 400 && error.status < 500) return [];
        throw error;
      }
    },
    staleTime: Infinity,
    retry: false,
  });
  return data ?? NONE;
}

const NONE: readonly Profile[] = [];

/** The draft with the profile, and with what the profile fixes and the draft does not have. */
function withProfile(text: string, record: JsonObject, url: string, definition: FormDefinition): string {
  const place = { definition, id: definition.root };
  return fieldsOf(place).reduce(
    (draft, { id, types: [only, ...more], slices, isRequired, isList }) => {
      if (only === undefined || more.length > 0 || record[only.member] !== undefined) return draft;
      const parts = slices.filter((slice) => slice.isRequired);
      const sliced = isList ? parts.flatMap((slice) => templateOf(definition, slice.id) ?? []) : [];
      if (sliced.length > 0) return setIn(draft, [only.member], sliced);
      const template = isRequired ? templateOf(definition, id) : undefined;
      if (template === undefined) return draft;
      return setIn(draft, [only.member], isList && !isArray(template) ? [template] : template);
    },
    profilesIn(record).includes(url)
      ? text
      : setIn(text, ['meta', 'profile', profilesIn(record).length], url),
  );
}

function Form(props: RecordFormProps & { readonly record: JsonObject }) {
  const { space, type, text, record, issues, onChange, onSave, ref } = props;
  const profiles = useProfiles(space, type);
  const claims = profilesIn(record).map((url) => url.replace(/\|.*$/, ''));
  const [chosen, setChosen] = useState<string>();
  const name = chosen ?? claims.find((url) => profiles.some((profile) => profile.url === url)) ?? type;
  const isClaimed = name === type || claims.includes(name);
  const structure = useStructure(space, name);
  const form = useRef<HTMLFormElement>(null);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  }, [text]);
  const edit = (change: (draft: string) => string): void => {
    const next = change(latest.current);
    if (next === latest.current) return;
    latest.current = next;
    onChange(next);
  };
  useImperativeHandle(ref, () => ({
    go: ({ expression: [first] }) => focusOn(form.current, pathOf(record, first ?? '')),
  }));
  const definition = structure.data ? readForm(structure.data) : undefined;
  return (
    <FormDraftContext value={{ space, record, issues: placeIssues(record, issues), edit }}>
      <FieldsView value={Fields}>
        <form
          ref={form}
          aria-label={words.form}
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onSave();
          }}
        >
          <Stack gap="md" maw={860}>
            {profiles.length === 0 ? null : (
              <Select
                label={words.profile}
                description={words.profileHint}
                data={[
                  { value: type, label: words.baseType(type) },
                  ...profiles.map(({ url, title }) => ({ value: url, label: `${title} (${url})` })),
                ]}
                value={name}
                searchable
                allowDeselect={false}
                onFocus={({ currentTarget }) => currentTarget.select()}
                onChange={(next) => setChosen(next ?? type)}
              />
            )}
            {definition === undefined || isClaimed ? null : (
              <Button
                variant="light"
                size="xs"
                style={{ alignSelf: 'start' }}
                onClick={() => edit((draft) => withProfile(draft, record, name, definition))}
              >
                {words.takeProfile}
              </Button>
            )}
            <Text size="xs" c="dimmed">
              {words.kept}
            </Text>
            {structure.isPending ? <Loading /> : null}
            {structure.isPending || definition !== undefined ? null : (
              <Alert>{words.noDefinition(name)}</Alert>
            )}
            {definition === undefined ? null : (
              <Fields
                key={name}
                place={{ definition, id: definition.root }}
                path={[]}
                value={record}
                isNew={false}
              />
            )}
          </Stack>
        </form>
      </FieldsView>
    </FormDraftContext>
  );
}

/** The field at a path, or the nearest one around it that is shown. */
function focusOn(form: HTMLElement | null, path: readonly (string | number)[]): void {
  for (let depth = path.length; depth > 0; depth--) {
    const found = form?.querySelector<HTMLElement>(`#${CSS.escape(fieldId(path.slice(0, depth)))}`);
    if (!found) continue;
    found.scrollIntoView({ block: 'center' });
    found.focus();
    return;
  }
}
