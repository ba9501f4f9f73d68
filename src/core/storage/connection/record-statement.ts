import { recordCall } from '../../tracing';
import type { Lane } from './database';
import { shapeName, type Statement } from './statement';

const VERB = /\b(?:insert|update|delete|select)\b/;
/** The first table or function of this program. */
const SUBJECT = /\bandiron\.(\w+)/;

/** Records a statement that has ended as a call of PostgreSQL: the name of its shape, and no values. */
export function recordStatement(lane: Lane, began: number, { name, text }: Statement): void {
  const [verb = 'select'] = VERB.exec(text) ?? [];
  const [, subject] = SUBJECT.exec(text) ?? [];
  const summary = subject === undefined ? verb : `${verb} ${subject}`;
  recordCall(summary, began, {
    'db.system.name': 'postgresql',
    'db.query.summary': summary,
    'andiron.statement': name ?? shapeName(text),
    'andiron.lane': lane,
  });
}
