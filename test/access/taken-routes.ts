/** The addresses of a server that tests of every address take. */
import { IS_FULL } from '../support/rounds';

interface Route {
  readonly method: string;
  readonly pattern: string;
}

/** The methods that some address has; the server answers the others, such as PROPPATCH, everywhere alike. */
const USED = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Each address with the used methods and one other in turn; with `ROUNDS=full` with all others. */
export function takeRoutes<One extends Route>(routes: readonly One[]): readonly One[] {
  const others = [...new Set(routes.map(({ method }) => method))].filter((one) => !USED.includes(one));
  const patterns = [...new Set(routes.map(({ pattern }) => pattern))];
  return routes.filter(
    ({ method, pattern }) =>
      IS_FULL || USED.includes(method) || method === others[patterns.indexOf(pattern) % others.length],
  );
}
