import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Leaves out of a bundle what a call on the command line does not use, because loading takes most of its time:
 * - of node-soap: its HTTP client, which ours replaces, with axios; formidable, which is for attachments; and crypto,
 *   which is for passwords and for ids that we supply.
 * - debug, which node-soap uses to log responses that it cannot read. It reads no response here.
 * - of undici: everything except its Client for HTTP/1.1. All of undici takes three times as long to load. The path of
 *   the Client inside the package is not part of undici's public interface. Only this bundle uses it, and the bundle is
 *   built from the version in package-lock.json.
 * - of Node: its HTTP client in undici, which uses it for a default that we set, and to recognise requests that Node's
 *   server received.
 *
 * A function that does nothing replaces debug. An empty object replaces every other module, so that its use is a
 * TypeError. Child processes, cryptography, HTTP, TLS and decompression of Node are loaded when they are first used,
 * because a call without https uses none of them, and Node's assert when an assertion of a library fails.
 */
export const lean: Plugin = {
  name: 'lean',
  setup({ onResolve, onLoad }) {
    const soap = join('node_modules', 'soap', 'lib');
    onResolve({ filter: /^(?:\.\/http|formidable|crypto|debug)$/ }, ({ importer, path }) =>
      importer.includes(soap) ? { path, namespace: 'left-out' } : undefined,
    );
    // node-soap calls debug when it is loaded, to make the functions that log.
    onLoad({ filter: /^debug$/, namespace: 'left-out' }, () => ({ contents: 'module.exports = () => () => {};' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    onResolve({ filter: /^(?:\.\/client-h2\.js|\.\.\/web\/fetch\/body\.js)$/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
    }));
    onResolve({ filter: /^node:http$/ }, ({ importer, path }) =>
      importer.includes(join('node_modules', 'undici')) ? { path, namespace: 'left-out' } : undefined,
    );
    onResolve({ filter: /^node:(?:child_process|crypto|https?|tls|zlib)$/ }, ({ namespace, path }) =>
      namespace === 'on-use' ? undefined : { path, namespace: 'on-use' },
    );
    onLoad({ filter: /.*/, namespace: 'on-use' }, ({ path }) => ({
      contents: [
        `let loaded; const load = () => (loaded ??= require('${path}'));`,
        ...Object.keys(require(path)).map(
          (name) => `Object.defineProperty(exports, '${name}', { get: () => load().${name} });`,
        ),
      ].join('\n'),
    }));
    onResolve({ filter: /^(?:node:)?assert$/ }, ({ namespace }) =>
      namespace === 'on-failure' ? undefined : { path: 'node:assert', namespace: 'on-failure' },
    );
    onLoad({ filter: /.*/, namespace: 'on-failure' }, ({ path }) => ({
      contents: `exports = module.exports = (value, message) => value || require('${path}')(value, message);
        exports.ok = exports;`,
    }));
    onResolve({ filter: /^undici\/index\.js$/ }, () => ({ path: 'undici', namespace: 'client-only' }));
    onLoad({ filter: /.*/, namespace: 'client-only' }, () => ({
      contents: "exports.Client = require('undici/lib/dispatcher/client');",
      resolveDir: __dirname,
    }));
  },
};
