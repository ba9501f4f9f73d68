import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import './style.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root');

// Live queries update the page, so that no query is repeated when the window gets the focus.
const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: 1 } } });

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
