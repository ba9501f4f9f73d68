/** Says that a screen has failed, instead of an empty page: after an upgrade the server has other files than this tab asks for. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
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
    return (
      <Alert color="red" role="alert" title={texts.failures.screen} my="md">
        <Stack gap="sm" align="start">
          <Text size="sm">{navigator.onLine ? texts.failures.screenHint : texts.failures.offline}</Text>
          <Button size="xs" onClick={() => location.reload()}>
            {texts.failures.reload}
          </Button>
        </Stack>
      </Alert>
    );
  }
}
