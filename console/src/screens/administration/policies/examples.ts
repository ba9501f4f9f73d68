/** Policies to begin with. */
import type { Policy } from '../../../api/administration';

export const EXAMPLES: Readonly<Record<'ward' | 'own' | 'hidden' | 'read', Policy>> = {
  ward: {
    rules: [
      { types: ['Patient'], interactions: 'rs' },
      { types: ['Observation'], interactions: 'rs', criteria: ['category=laboratory&status=final'] },
    ],
  },
  own: {
    rules: [{ types: ['Encounter'], interactions: 'crus', criteria: ['participant={user}'] }],
    operations: ['$everything'],
  },
  hidden: {
    rules: [{ types: ['*'], interactions: 'rs' }],
    hidden: ['Observation.note', 'Patient.contact', 'Patient.telecom'],
  },
  read: { rules: [{ types: ['*'], interactions: 'rs' }] },
};

/** Why a text is no JSON; undefined: it is. */
export function whyNotJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function printPolicy(policy: Policy): string {
  return JSON.stringify(policy, null, 2);
}
