import { openLogger } from '@tollgate/infra/processes/logger.ts'

/** A process's log kept in memory, at its most talkative. */
export function collectedLog() {
  const lines: string[] = []
  return {
    logger: openLogger('trace', { write: (line) => void lines.push(line) }),
    lines: lines as readonly string[],
    /** The lines that hold one of these texts. */
    withAnyOf: (texts: readonly string[]): readonly string[] =>
      lines.filter((line) => texts.some((text) => line.includes(text))),
  }
}
