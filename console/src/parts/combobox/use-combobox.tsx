import type { KeyboardEvent, ReactNode } from 'react'
import { useEffect, useId, useState } from 'react'
import { useLatest } from '../use-latest.ts'
import { ChoiceList, rowId } from './choice-list.tsx'
import type { Choice } from './choices.ts'

/** A combobox's field and list. */
export interface Combobox {
  /** Properties of the field, which the caller gives its value. */
  readonly field: {
    readonly role: 'combobox'
    readonly autoComplete: 'off'
    readonly 'aria-autocomplete': 'list'
    readonly 'aria-expanded': boolean
    readonly 'aria-controls': string | undefined
    readonly 'aria-activedescendant': string | undefined
    readonly onClick: () => void
    readonly onKeyDown: (event: KeyboardEvent) => void
  }
  /** The list while it is open; it stands below whatever is positioned around it. */
  readonly list: ReactNode
  /** To be called when something was typed. */
  readonly onTyped: () => void
  readonly close: () => void
}

/**
 * The keys of a combobox (WAI-ARIA 1.2): the arrows go through the choices, Enter takes the active one, Escape closes
 * the list alone. An Enter without an active choice is the caller's, so that it can take the words as they are.
 */
export function useCombobox(rules: {
  label: string
  /** Those that match what was typed. */
  choices: readonly Choice[]
  onChoose: (value: string) => void
  /** The list is always there, in the text. */
  isInline?: boolean
  /** The present choice where nothing else can be entered: the list opens at it, and typing marks the first match. */
  chosen?: string
  /** The list stays open after a choice, for more. */
  isForMany?: boolean
}): Combobox {
  const { choices } = rules
  const isInline = rules.isInline ?? false
  const listId = useId()
  const [isAsked, setAsked] = useState(false)
  const [marked, setMarked] = useState(-1)
  const isOpen = (isAsked || isInline) && choices.length > 0
  const active = isOpen ? Math.min(marked, choices.length - 1) : -1
  const close = () => {
    setAsked(false)
    setMarked(-1)
  }
  const choose = (choice: Choice) => {
    rules.onChoose(choice.value)
    if (!rules.isForMany) close()
  }
  const open = () => {
    if (!isOpen && rules.chosen !== undefined)
      setMarked(choices.findIndex(({ value }) => value === rules.chosen))
    setAsked(true)
  }
  useEscape(isOpen && !isInline, close)
  const move = (step: 1 | -1) => {
    if (!isOpen) return open()
    const from = active === -1 && step === -1 ? 0 : active
    setMarked((from + step + choices.length) % choices.length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of an input method are its own.
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    }
    const choice = choices[active]
    if (event.key !== 'Enter' || !choice) return
    event.preventDefault()
    choose(choice)
  }
  return {
    field: {
      role: 'combobox',
      autoComplete: 'off',
      'aria-autocomplete': 'list',
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? listId : undefined,
      'aria-activedescendant': active >= 0 ? rowId(listId, active) : undefined,
      onClick: open,
      onKeyDown,
    },
    list: isOpen ? (
      <ChoiceList
        id={listId}
        label={rules.label}
        choices={choices}
        active={active}
        isInline={isInline}
        onChoose={choose}
      />
    ) : null,
    onTyped: () => {
      setAsked(true)
      setMarked(rules.chosen === undefined ? -1 : 0)
    },
    close,
  }
}

/** Escape closes the list before the drawer or dialog around it hears of the key, which they do at the document. */
function useEscape(isOn: boolean, act: () => void): void {
  const onEscape = useLatest(act)
  useEffect(() => {
    if (!isOn) return undefined
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.stopPropagation()
      onEscape.current()
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [isOn, onEscape])
}
