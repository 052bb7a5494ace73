/** The package's version, as in package.json, which lies elsewhere once the package is built or bundled. */
export const version = '1.0.0';
