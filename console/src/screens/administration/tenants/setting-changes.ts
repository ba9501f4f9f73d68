/** The settings of a tenant in a form. */
import type { SettingDescription, TenantDetails } from '../../../api/administration';

/** Prefix of the settings that limit single clients; the id of one follows. */
export const OF_CLIENT = 'rate-limit-client.';

export function kindOfSetting({ values }: SettingDescription): 'choice' | 'text' {
  return values === undefined ? 'text' : 'choice';
}

/** What differs from what the tenant has. */
export function changedSettings(
  draft: Readonly<Record<string, string>>,
  { settings }: Pick<TenantDetails, 'settings'>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(draft)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([name, value]) => value !== settings[name]),
  );
}

/** True: the changes end the sessions of people without a second factor. Null resets a setting. */
export function endsSessions(
  changes: Readonly<Record<string, string | null>>,
  { settings: now }: Pick<TenantDetails, 'settings'>,
  described: readonly SettingDescription[],
): boolean {
  const name = 'second-factor';
  if (!(name in changes)) return false;
  const value = changes[name] ?? described.find((setting) => setting.name === name)?.default;
  return value === 'required' && now[name] !== value;
}

/** The rates of single clients, by the id of the client. */
export function clientRates({ settings, own }: Pick<TenantDetails, 'settings' | 'own'>): readonly {
  readonly client: string;
  readonly rate: string;
}[] {
  return own
    .filter((name) => name.startsWith(OF_CLIENT))
    .map((name) => ({ client: name.slice(OF_CLIENT.length), rate: settings[name] ?? '' }));
}

/** The sentence of a description without its marks of code, ended by a full stop. */
export function toSentence(text: string): string {
  const plain = text.replaceAll('`', '').trim();
  return plain === '' || /[.!?]$/.test(plain) ? plain : `${plain}.`;
}
