/**
 * The open servers and processes of a file's tests. A failing test does not reach its own `close`; a server or a
 * process that it leaves would keep jest from ending.
 */
type Close = () => Promise<void>;

const open = new Set<Close>();
/** The open ones when the last test began; undefined until a test begins. */
let openBefore: ReadonlySet<Close> | undefined;

/**
 * Gives `close` back as one that works once, and that is called after the test if the test does not call it. What a `beforeAll` opens
 * is closed by an `afterAll`: it is called here only if no test has begun.
 */
export function closedAtEnd(close: Close): Close {
  let closed: Promise<void> | undefined;
  const once = (): Promise<void> => {
    open.delete(once);
    return (closed ??= close());
  };
  open.add(once);
  return once;
}

/** The last one first, because it may need one that was opened before it. */
async function closeEach(left: readonly Close[]): Promise<void> {
  for (const close of left.toReversed()) await close().catch(() => undefined);
}

beforeEach(() => {
  openBefore = new Set(open);
});

afterEach(() => closeEach([...open].filter((close) => openBefore?.has(close) === false)));

// No test has begun: their preparation has failed.
afterAll(async () => {
  if (openBefore === undefined) await closeEach([...open]);
});
