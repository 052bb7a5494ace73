/** The version in package.json, which has another path in the built package than in the bundled command. */
export const version = '1.0.0';
