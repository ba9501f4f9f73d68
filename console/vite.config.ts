import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';

/** `npm run dev` shows the console of this source with the data of this server. */
const andiron = process.env.ANDIRON ?? 'http://localhost:3000';

/** As the server does: a person who opens an address sees the console, a program gets the answer. */
const api: ProxyOptions = {
  target: andiron,
  bypass: ({ headers, url }) =>
    headers['sec-fetch-mode'] === 'navigate' && !/\/(?:oidc|graphql)\//.test(url ?? '')
      ? '/index.html'
      : undefined,
};

export default defineConfig({
  // Relative, so that a prefix before the address of the server does not matter.
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The server reads it; its name begins with a dot, so that it is not served.
    manifest: '.manifest.json',
    // The Content-Security-Policy allows no scripts of data: addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: { '/w': api, '/health': andiron, '/docs': andiron, '/graphiql': andiron } },
});
