import { fileURLToPath } from 'node:url'

/** Where the console is built to when Tollgate is installed. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url))
