/** The program of the console. */
import '@mantine/core/styles.css';
import './look.css';
import './direction.css';
import './focus.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Failure } from './api/failure';
import { takeAnswer } from './api/session';
import { App } from './app';
import { showSigns } from './layout/control-signs';
import { PREFIX } from './place';
import { cssVariables, theme } from './theme';

/** Faults of the network are tried again; refusals are answers. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) =>
        count < 2 && (!(error instanceof Failure) || error.status === 0 || error.status === 503),
      refetchOnWindowFocus: false,
      // Without a network a request fails in words, and does not wait silently.
      networkMode: 'always',
      // A refusal stays one until a person tries again, also where a part of the screen appears that needs the same.
      retryOnMount: false,
    },
  },
});

// Before anything is shown: the code belongs neither into the address bar nor into the history of the tab.
takeAnswer();

const element = document.getElementById('console');
if (element === null) throw new Error('the page has no element #console');
// The addresses of the page are relative to its first screen.
for (const link of document.querySelectorAll('link')) link.setAttribute('href', link.href);

showSigns(document.body);
createRoot(element).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <BrowserRouter basename={PREFIX}>
          <App />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
