import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { configure } from '@testing-library/dom';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';

configure({
  // The parts of the console load when they are shown; a busy machine takes its time.
  asyncUtilTimeout: 20_000,
  eventWrapper: (send) => {
    act(() => {
      send();
    });
  },
  // While a test waits, React works as it does in a browser.
  asyncWrapper: async <Found,>(wait: () => Promise<Found>): Promise<Found> => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    try {
      return await wait();
    } finally {
      Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    }
  },
});

const shown: (() => void)[] = [];

/** Shows a component inside of what the console has around all of them. `address`: the path of the browser. */
export function render(element: ReactNode, address = '/'): void {
  history.replaceState(null, '', address);
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const queries = new QueryClient();
  shown.push(() => {
    root.unmount();
    container.remove();
    queries.clear();
  });
  act(() =>
    root.render(
      <MantineProvider>
        <QueryClientProvider client={queries}>
          <MemoryRouter initialEntries={[address]}>{element}</MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
}

afterEach(() => {
  for (const remove of shown.splice(0)) act(remove);
});

afterAll(() => window.close());
