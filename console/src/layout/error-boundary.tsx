/** Says that a screen has failed, instead of an empty page: after an upgrade the server has other files than this tab asks for. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, useEffect, useState, type ReactNode } from 'react';
import { PREFIX } from '../place';
import { texts } from '../texts';

interface Props {
  /** The address: another screen is tried anew. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly hasFailed: boolean;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.hasFailed && before.place !== this.props.place) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <FailedScreen />;
  }
}

/** Whether the server answers at all. */
async function isReachable(): Promise<boolean> {
  try {
    await fetch(`${PREFIX}/health/live`, { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

/** A program that could not be loaded stays so until the page is loaded again, which leaves the console while the server is away. */
function FailedScreen() {
  const [isAway, setAway] = useState(false);
  const check = async (): Promise<boolean> => {
    const isThere = await isReachable();
    setAway(!isThere);
    return isThere;
  };
  useEffect(() => {
    void check();
  }, []);
  const { failures } = texts;
  const hint = isAway ? failures.unreachable : failures.screenHint;
  return (
    <Alert color="red" role="alert" title={failures.screen} my="md">
      <Stack gap="sm" align="start">
        <Text size="sm">{navigator.onLine ? hint : failures.offline}</Text>
        <Button
          size="xs"
          onClick={() =>
            void check().then((isThere) => {
              if (isThere) location.reload();
            })
          }
        >
          {failures.reload}
        </Button>
      </Stack>
    </Alert>
  );
}
