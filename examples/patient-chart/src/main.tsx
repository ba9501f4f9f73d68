import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { GatewayError } from './gateway';
import { lastSequence } from './live';
import { openSession, SignIn } from './sign-in';
import './style.css';

const element = document.getElementById('root');
if (element === null) throw new Error('The page has no #root');
const root = createRoot(element);

// Live queries update the page, so that no query is repeated when the window gets the focus.
const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: 1 } } });

function showApp(): void {
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}

try {
  await openSession();
  // A server in open mode answers without credentials.
  await lastSequence();
  showApp();
} catch (error) {
  const isRefused = error instanceof GatewayError && error.code === 'login';
  const reason = isRefused ? error.message : `The last sign-in was not completed: ${String(error)}`;
  root.render(<SignIn reason={reason} />);
}
