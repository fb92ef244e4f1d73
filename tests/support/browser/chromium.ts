import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import type { LaunchOptions } from 'playwright-core'

/** Names of Chromium and its relatives, in the order of preference. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const
/** Where macOS keeps applications that are not on PATH. */
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const

/**
 * Path of a Chromium to drive: CHROMIUM_PATH when set, else the first known name on PATH; null when there is none.
 * Throws when CHROMIUM_PATH names something that cannot be run: a wrong setting is never passed over.
 */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const chosen = env['CHROMIUM_PATH']
  if (chosen) {
    if (isExecutable(chosen)) return chosen
    throw new Error(`CHROMIUM_PATH is ${chosen}, which is not a program that can be run`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...APPLICATIONS].find(isExecutable) ?? null
}

export const NO_CHROMIUM =
  'No Chromium found: install it or set CHROMIUM_PATH; `npm test` sees to it'

/** How the Chromium that is found is started, without a window; throws when there is none. */
export function chromiumOptions(): LaunchOptions {
  const executablePath = findChromium(process.env)
  if (executablePath === null) throw new Error(NO_CHROMIUM)
  // The sandbox needs rights that containers and root do not have; only our own pages are opened.
  return { executablePath, args: ['--no-sandbox'] }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Any reason not to be runnable (missing, not allowed) means the same here: look further.
    return false
  }
}
