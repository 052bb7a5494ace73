import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * What is loaded decides how soon a one-off call is under way, so a bundle leaves out what that call does not use:
 * - node-soap's own HTTP client, which ours replaces, with axios; formidable, for attachments; and crypto, for passwords and
 *   for the ids of calls, which are given.
 * - debug, through which node-soap tells of an answer that it cannot read. It reads none here.
 * - undici except for its Client in HTTP/1.1: HTTP/2, fetch, WebSocket, caches, mocks. The Client is imported by a path inside the
 *   package, which undici does not promise: all of undici takes three times as long to load. Only this bundle does so, and undici
 *   is pinned to one version, so the path cannot change without notice.
 *
 * In place of debug there is a function that does nothing. Any other module that is left out is an empty object, so that a use of
 * it is a TypeError.
 */
export const lean: Plugin = {
  name: 'lean',
  setup({ onResolve, onLoad }) {
    const soap = join('node_modules', 'soap', 'lib');
    onResolve({ filter: /^(?:\.\/http|formidable|crypto|debug)$/ }, ({ importer, path }) =>
      importer.includes(soap) ? { path, namespace: 'left-out' } : undefined,
    );
    // debug is called as soon as node-soap is loaded, and makes the functions that log.
    onLoad({ filter: /^debug$/, namespace: 'left-out' }, () => ({ contents: 'module.exports = () => () => {};' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    onResolve({ filter: /^(?:\.\/client-h2\.js|\.\.\/web\/fetch\/body\.js)$/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
    }));
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'client-only' }));
    onLoad({ filter: /.*/, namespace: 'client-only' }, () => ({
      contents: "exports.Client = require('undici/lib/dispatcher/client');",
      resolveDir: __dirname,
    }));
  },
};
