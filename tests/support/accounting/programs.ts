import { delimiter, join } from 'node:path'
import { isExecutable } from '../browser/chromium.ts'

/** A program of plain-text accounting that the tests hold exported books against. */
export interface AccountingProgram {
  readonly name: string
  /** Name of the package that brings it on Debian. */
  readonly aptPackage: string
  /** Path of its binary: the setting of `variable`, else the first on PATH; null when there is none. */
  readonly find: (env: NodeJS.ProcessEnv) => string | null
  readonly advice: string
}

const program = (name: string, aptPackage: string, variable: string): AccountingProgram => ({
  name,
  aptPackage,
  find: (env) => {
    const chosen = env[variable]
    if (chosen) {
      if (isExecutable(chosen)) return chosen
      throw new Error(`${variable} is ${chosen}, which is not a program that can be run`)
    }
    const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
    return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
  },
  advice: `install ${aptPackage} or set ${variable} to the path of ${name}, such as ${variable}=/usr/bin/${name}`,
})

export const HLEDGER = program('hledger', 'hledger', 'HLEDGER_PATH')
export const BEAN_CHECK = program('bean-check', 'beancount', 'BEAN_CHECK_PATH')
