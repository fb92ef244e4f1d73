const NO_STATE = -1
const ROOT = 0
const UNITS = 65_536

/**
 * Finds whether any of many words stands in a text, in one pass however many words there are (Aho and Corasick, 1975).
 * It goes by UTF-16 units and not by characters as people see them: a word is found wherever it stands, also with an
 * accent or a joiner behind it, which would otherwise hide it.
 */
export class WordAutomaton {
  /** Where each unit leads from the root. */
  readonly #fromRoot = new Int32Array(UNITS).fill(ROOT)
  /** Open addressing over (state, unit): the key's two parts and the state it leads to. */
  readonly #keys: Float64Array
  readonly #targets: Int32Array
  readonly #mask: number
  /** A bit for each unit that leads on, folded to 32: most units lead nowhere and need no search. */
  readonly #leads: Int32Array
  readonly #fallback: Int32Array
  readonly #endsWord: Uint8Array

  /** Words as they are compared, say in lower case; empty ones are left out. */
  constructor(words: readonly string[]) {
    const statesMax = words.reduce((sum, word) => sum + word.length, 1)
    this.#mask = 2 ** Math.ceil(Math.log2(statesMax * 2)) - 1
    this.#keys = new Float64Array(this.#mask + 1).fill(NO_STATE)
    this.#targets = new Int32Array(this.#mask + 1)
    this.#leads = new Int32Array(statesMax)
    this.#fallback = new Int32Array(statesMax)
    this.#endsWord = new Uint8Array(statesMax)
    const levels = this.#plant(words)
    for (const level of levels.slice(1)) for (const leaf of level) this.#linkFallback(leaf)
  }

  /** Whether one of the words stands in the text, in time linear in the text. */
  isIn(text: string): boolean {
    let state = ROOT
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at))
      if (this.#endsWord[state] === 1) return true
    }
    return false
  }

  #step(from: number, unit: number): number {
    let state = from
    while (state !== ROOT) {
      if (((this.#leads[state] ?? 0) & bitOf(unit)) !== 0) {
        const next = this.#target(state, unit)
        if (next !== NO_STATE) return next
      }
      state = this.#fallback[state] ?? ROOT
    }
    return this.#fromRoot[unit] ?? ROOT
  }

  #target(state: number, unit: number): number {
    const key = state * UNITS + unit
    let slot = slotOf(state, unit) & this.#mask
    for (;;) {
      const found = this.#keys[slot]
      if (found === key) return this.#targets[slot] ?? NO_STATE
      if (found === NO_STATE) return NO_STATE
      slot = (slot + 1) & this.#mask
    }
  }

  #place(state: number, unit: number, child: number): void {
    let slot = slotOf(state, unit) & this.#mask
    while (this.#keys[slot] !== NO_STATE) slot = (slot + 1) & this.#mask
    this.#leads[state] = (this.#leads[state] ?? 0) | bitOf(unit)
    this.#keys[slot] = state * UNITS + unit
    this.#targets[slot] = child
  }

  /** Makes the trie of the words; answers its states by their depth, those below the root first. */
  #plant(words: readonly string[]): readonly (readonly Leaf[])[] {
    const levels: Leaf[][] = []
    let states = 1
    for (const word of words) {
      let state = ROOT
      for (let at = 0; at < word.length; at += 1) {
        const unit = word.charCodeAt(at)
        const known = state === ROOT ? (this.#fromRoot[unit] ?? ROOT) : this.#target(state, unit)
        const child = known > ROOT ? known : states
        if (child === states) {
          states += 1
          if (state === ROOT) this.#fromRoot[unit] = child
          else this.#place(state, unit, child)
          const level = (levels[at] ??= [])
          level.push({ parent: state, unit, state: child })
        }
        state = child
      }
      if (state !== ROOT) this.#endsWord[state] = 1
    }
    return levels
  }

  /** The longest proper end of a state's text that begins a word, and whether that ends one. */
  #linkFallback({ parent, unit, state }: Leaf): void {
    const fallback = this.#step(this.#fallback[parent] ?? ROOT, unit)
    this.#fallback[state] = fallback
    if (this.#endsWord[fallback] === 1) this.#endsWord[state] = 1
  }
}

/** A state of the trie and how it is reached. */
interface Leaf {
  readonly parent: number
  readonly unit: number
  readonly state: number
}

const bitOf = (unit: number): number => 1 << (unit & 31)

function slotOf(state: number, unit: number): number {
  const mixed = Math.imul(state, 0x9e_37_79_b1) ^ Math.imul(unit, 0x85_eb_ca_6b)
  return mixed ^ (mixed >>> 15)
}
