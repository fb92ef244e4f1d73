import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { optionsFrom, type OptionsView } from '@tollgate/domain/settings/options.ts'
import {
  inOrderOfEffect,
  isPlanned,
  isRevision,
  optionChangesIn,
  rebased,
  withTexts,
} from '@tollgate/domain/settings/price-changes.ts'
import type { DirectorySnapshot, PlannedPrices } from './source.ts'

/** Options with the prices in force, and the revision of these. */
export interface OptionsInForce {
  readonly options: OptionsView
  /** As charges name it. */
  readonly revision: Position
  /** When the next planned revision comes into force, unix milliseconds; Infinity = none is planned. */
  readonly until: number
}

/**
 * Options by the log, with planned prices put in force by the clock: no step is needed at that moment. A revision that
 * was once in force stays, though the clock steps back.
 */
export class FollowedOptions {
  #options: OptionsView = optionsFrom([])
  #revision: Position = -1
  #planned: readonly PlannedPrices[] = []
  #latest = 0

  reset({
    options,
    priceBookRevision,
    plannedPrices,
  }: Pick<DirectorySnapshot, 'options' | 'priceBookRevision' | 'plannedPrices'>): void {
    this.#options = optionsFrom(options)
    this.#revision = priceBookRevision
    this.#planned = plannedPrices
  }

  /** One event of the stream `settings`; one that was applied before does no harm. */
  apply(event: SettingsEvent & RecordedEvent): void {
    for (const { key, value } of optionChangesIn(event)) {
      if (value !== null) this.#options = this.#options.with(key, value)
    }
    if (event.type === 'PriceBookRevised' && isPlanned(event.data)) {
      const { number, effectiveAt, changes } = event.data
      const plan = { number, effectiveAt, changes, revision: event.position }
      this.#planned = [...this.#without(number), plan]
    } else if (isRevision(event)) {
      this.#revision = event.position
    } else if (event.type === 'PriceRevisionTookEffect') {
      const { number } = event.data
      this.#revision =
        this.#planned.find((one) => one.number === number)?.revision ?? this.#revision
      this.#planned = this.#without(number)
    } else if (event.type === 'PriceRevisionWithdrawn') {
      this.#planned = this.#without(event.data.number)
    }
  }

  /** The options in force for a request that is admitted at `now`, unix milliseconds. */
  at(now: number): OptionsInForce {
    this.#latest = Math.max(this.#latest, now)
    let options = this.#options
    let revision = this.#revision
    for (const plan of inOrderOfEffect(this.#planned)) {
      if (plan.effectiveAt > this.#latest) return { options, revision, until: plan.effectiveAt }
      options = withTexts(options, rebased(plan.changes, options))
      revision = plan.revision
    }
    return { options, revision, until: Number.POSITIVE_INFINITY }
  }

  #without(number: number): readonly PlannedPrices[] {
    return this.#planned.filter((one) => one.number !== number)
  }
}
