/** GraphiQL with the tenant, release and session of the console. */
import { graphqlPath, PREFIX } from '../place';
import { texts } from '../texts';
import { useSpace } from '../layout/place-context';
import classes from './graphiql-screen.module.css';

export default function GraphiqlScreen() {
  const space = useSpace();
  const address = `${PREFIX}${graphqlPath(space)}`;
  return <iframe key={address} className={classes['frame']} title={texts.common.graphiql} src={address} />;
}
