/**
 * The version in package.json. The built and the bundled package have package.json at different paths, so it is not
 * read.
 */
export const version = '1.0.0';
