/** GraphiQL with the tenant, release and session of the console. */
import { Title, VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { tokenFor } from '../api/session';
import { useSpace } from '../layout/current-screen';
import { useTitle } from '../layout/use-title';
import { graphqlPath, PREFIX } from '../place';
import { texts } from '../texts';
import classes from './graphiql-screen.module.css';

/** GraphiQL reads the token from the storage of the tab; this screen renews it there. */
const RENEWAL_MS = 15_000;

export default function GraphiqlScreen() {
  const { tenant, release } = useSpace();
  useEffect(() => {
    const timer = setInterval(() => void tokenFor(tenant, release), RENEWAL_MS);
    return () => clearInterval(timer);
  }, [tenant, release]);
  const address = `${PREFIX}${graphqlPath({ tenant, release })}`;
  useTitle(texts.common.graphiql);
  return (
    <>
      <VisuallyHidden>
        <Title order={1}>{texts.common.graphiql}</Title>
      </VisuallyHidden>
      <iframe key={address} className={classes['frame']} title={texts.common.graphiql} src={address} />
    </>
  );
}
