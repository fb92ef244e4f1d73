import type { EventTable } from '@tollgate/domain/event-columns.ts'
import { SCHEMAS_BY_VERSION } from '../schemas/by-version.ts'
import type { Layout } from './layout.ts'
import { learnLayout } from './learn-layout.ts'

/** Layouts of one type and version at most: each upstream leaves other members out. */
const LAYOUTS_MAX = 64
/** Events from which a layout was to be learned, at most: where none fits again and again, none is of use. */
const LESSONS_MAX = 500

/** The layouts of the events of one type and schema version, the one that was of use last first. */
export class Layouts {
  readonly #layouts: Layout[] = []
  #lessons = 0

  /** As `Layout`; false when an event's layout is not known. */
  read(...event: Parameters<Layout>): boolean {
    const layouts = this.#layouts
    for (let index = 0; index < layouts.length; index += 1) {
      const layout = layouts[index]
      if (layout?.(...event) !== true) continue
      if (index > 0) {
        layouts.splice(index, 1)
        layouts.unshift(layout)
      }
      return true
    }
    return false
  }

  /** Learns from an event whose data fit the schema of their version, and are read as they stand there. */
  learn(bytes: Uint8Array, version: number, table: EventTable): void {
    const schema = SCHEMAS_BY_VERSION.get(table.type)?.[version - 1]
    if (schema === undefined || this.#lessons === LESSONS_MAX) return
    this.#lessons += 1
    const layout = learnLayout(bytes, schema, table)
    if (layout === null) return
    if (this.#layouts.length === LAYOUTS_MAX) this.#layouts.pop()
    this.#layouts.unshift(layout)
  }
}
