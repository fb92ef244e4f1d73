import manifest from '../../package.json' with { type: 'json' }

/** The version of this Tollgate, as its package.json says. */
export const VERSION: string = manifest.version
