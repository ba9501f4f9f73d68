/** Calls of an interface's functions in another thread, as messages. The interface is the only list of the calls. */

type Arguments<T> = {
  [Name in keyof T]: T[Name] extends (...of: infer Of extends unknown[]) => unknown ? Of : never;
};

type Results<T> = {
  [Name in keyof T]: T[Name] extends (...of: never) => infer Result ? Awaited<Result> : never;
};

/** A call of one of the functions. Its arguments are cloned, so they are plain values. */
export type Call<T, Names extends keyof T = keyof T> = {
  [Name in Names]: { readonly name: Name; readonly of: Arguments<T>[Name] };
}[Names];

interface AnswerOf<T, Name extends keyof T> {
  readonly name: Name;
  readonly value: Results<T>[Name];
}

/** The result of a function, a plain value too. */
export type Answer<T> = { [Name in keyof T]: AnswerOf<T, Name> }[keyof T];

/** Calls one of the functions in the other thread, and throws its errors. */
export type Ask<T, Names extends keyof T = keyof T> = <Name extends Names>(
  name: Name,
  ...of: Arguments<T>[Name]
) => Promise<Results<T>[Name]>;

/** Returns a function that sends each call by `send`, which returns the answer of the other thread (`answerCall`). */
export function createAsk<T, Names extends keyof T = keyof T>(
  send: (call: Call<T, Names>) => Promise<Answer<T>>,
): Ask<T, Names> {
  return async (name, ...of) => {
    const answer = await send({ name, of });
    if (isAnswerOf<T, typeof name>(answer, name)) return answer.value;
    throw new Error(`a thread returned the result of ${String(answer.name)} for ${String(name)}`);
  };
}

function isAnswerOf<T, Name extends keyof T>(
  answer: Answer<T>,
  name: Name,
): answer is Answer<T> & AnswerOf<T, Name> {
  return answer.name === name;
}

/** Functions that are called in the other thread. */
type Proxy<T, Names extends keyof T> = {
  [Name in Names]: (...of: Arguments<T>[Name]) => Promise<Results<T>[Name]>;
};

/** Creates an object with a function for each name of a table. `send`: as for `createAsk`. */
export function createProxy<T, Names extends keyof T>(
  table: Readonly<Record<Names, unknown>>,
  send: (call: Call<T, Names>) => Promise<Answer<T>>,
): Proxy<T, Names> {
  const ask = createAsk(send);
  const proxy: Partial<Proxy<T, Names>> = {};
  const put = <Name extends Names>(name: Name): void => {
    proxy[name] = (...of) => ask(name, ...of);
  };
  for (const name in table) put(name);
  // The table has all names, and each has been put.
  return proxy as Proxy<T, Names>;
}

/** Calls a function that `target` itself has, and none that it inherits. Throws the errors of the function. */
export async function answerCall<T, Name extends keyof T>(
  target: { [Each in Name]: (...of: Arguments<T>[Each]) => Results<T>[Each] | Promise<Results<T>[Each]> },
  { name, of }: { readonly name: Name; readonly of: Arguments<T>[Name] },
): Promise<Answer<T>> {
  if (!Object.hasOwn(target, name)) throw new Error(`a thread calls ${String(name)}, which does not exist`);
  return { name, value: await target[name](...of) };
}
