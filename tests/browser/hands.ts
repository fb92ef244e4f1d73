import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** How somebody works a page. */
export type HandName = 'mouse' | 'keyboard' | 'phone'

export interface Hand {
  /** Buttons, links, tabs, entries of menus. */
  press(target: Locator): Promise<void>
  /** Replaces what a field holds. */
  type(field: Locator, text: string): Promise<void>
  /** Turns a switch over. */
  flip(control: Locator): Promise<void>
  /** Takes the radio button with this name out of a group. */
  pick(group: Locator, name: string): Promise<void>
  /** Takes the next value of a drop-down list that is not the present one. */
  choose(list: Locator, value: string): Promise<void>
  /** Closes a dialog and changes nothing. `close` is its button that does so. */
  leave(dialog: Locator, close: Locator): Promise<void>
}

/** A screen has fewer places where Tab stops. */
const STOPS_MAX = 900
/** CSS pixels: what a finger hits at least (WCAG 2.2, 2.5.8). */
const TARGET_MIN = 24
/** A page may take a moment to give the focus back, or to draw its ring. */
const SETTLED = { timeout: 5_000 } as const

/** CSS pixels between the right edges of an element and of what it stands in; below 0 it is cut off. */
export const spaceAfter = (target: Locator, place: string): Promise<number> =>
  target.evaluate(
    (node, selector) =>
      (node.closest(selector)?.getBoundingClientRect().right ?? 0) -
      node.getBoundingClientRect().right,
    place,
  )

export const handOf = (name: HandName, page: Page): Hand =>
  name === 'keyboard' ? keyboardOn(page) : pointerOn(page, name === 'phone')

/** Points with a mouse, or with a finger on a screen without one, and enters text. Fails on what is cut off at a side. */
function pointerOn(page: Page, isFinger: boolean): Hand {
  const point = (target: Locator): Promise<void> => (isFinger ? target.tap() : target.click())
  /** The browser refuses to point at what something else covers. */
  async function press(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded()
    const name = target.toString()
    expect([name, ...(await misfits(target, isFinger ? TARGET_MIN : 0))]).toEqual([name])
    await point(target)
  }
  return {
    press,
    flip: point,
    async type(field, text) {
      await press(field)
      await page.keyboard.press('ControlOrMeta+A')
      // In one piece, as from a clipboard or a phone's keyboard; keyboardOn types key by key.
      await page.keyboard.insertText(text)
    },
    pick: (group, name) => press(group.getByText(name, { exact: true })),
    async choose(list, value) {
      await press(list)
      await list.selectOption(value)
    },
    async leave(dialog, close) {
      await press(close)
      await dialog.waitFor({ state: 'hidden' })
    },
  }
}

/**
 * Never points: holds Tab while the target is far, and goes from stop to stop when it is near, as somebody does who sees
 * it. Fails when what has the focus is not to be seen, and when a page takes the focus away and gives it to nothing.
 */
function keyboardOn(page: Page): Hand {
  /** The control worked last, and its document. */
  let last: { readonly target: Locator; readonly document: number } | null = null

  async function reach(target: Locator): Promise<void> {
    await target.waitFor()
    await expectFocusKept()
    const way: string[] = []
    for (let stops = 0; stops < STOPS_MAX;) {
      const distance = await stopsTo(target)
      if (distance === 0) {
        await expect
          .poll(() => hiddenFocus(target), { ...SETTLED, message: target.toString() })
          .toEqual([])
        last = { target, document: await documentOf(page) }
        return
      }
      // Not all at once: what is passed may lead elsewhere than its place says.
      const held = Math.max(1, Math.floor(Math.abs(distance) * 0.75))
      if (distance < 0) await page.keyboard.down('Shift')
      await Promise.all(Array.from({ length: held }, () => page.keyboard.down('Tab')))
      await page.keyboard.up('Tab')
      if (distance < 0) await page.keyboard.up('Shift')
      stops += held
      way.push(`${distance} to ${await focusOf(page)}`)
    }
    throw new Error(`Tab does not reach ${target.toString()}:\n${way.slice(-10).join('\n')}`)
  }

  /** A page that was loaded since begins without a focus. */
  async function expectFocusKept(): Promise<void> {
    if (last?.document !== (await documentOf(page))) return
    const says = `focus after ${last.target.toString()}`
    await expect
      .poll(() => page.evaluate('document.activeElement?.tagName'), { ...SETTLED, message: says })
      .not.toBe('BODY')
  }

  /** Waits as somebody does who sees that a button cannot be pressed yet; pointers wait by themselves. */
  async function pressKey(target: Locator, key: string): Promise<void> {
    await reach(target)
    await expect.poll(() => target.isEnabled(), { message: target.toString() }).toBe(true)
    await page.keyboard.press(key)
  }

  return {
    press: (target) => pressKey(target, 'Enter'),
    flip: (control) => pressKey(control, 'Space'),
    async type(field, text) {
      await pressKey(field, 'ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async pick(group, name) {
      const wanted = group.getByRole('radio', { name, exact: true })
      await reach(group.getByRole('radio', { checked: true }))
      const radios = await group.getByRole('radio').count()
      for (let pressed = 0; pressed < radios && !(await wanted.isChecked()); pressed++)
        await page.keyboard.press('ArrowDown')
      await reach(wanted)
      expect(await wanted.isChecked()).toBe(true)
    },
    async choose(list, value) {
      await reach(list)
      const wanted = await list.locator(`option[value="${value}"]`).textContent()
      await page.keyboard.type(wanted ?? value)
      expect(await list.inputValue()).toBe(value)
    },
    async leave(dialog) {
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      // It goes back to what had opened it.
      if (last) await expect.poll(() => hiddenFocus(last?.target ?? dialog), SETTLED).toEqual([])
    },
  }
}

const focusOf = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement?.outerHTML.slice(0, 200) ?? ""')

/** When the document was opened: another number, another document. */
const documentOf = (page: Page): Promise<number> => page.evaluate('performance.timeOrigin')

/** Over how many stops of Tab the focus comes to a target, negative for Shift and Tab; 0 when it is there. */
const stopsTo = (target: Locator): Promise<number> =>
  target.evaluate((element) => {
    const { activeElement, documentElement } = element.ownerDocument
    if (element === activeElement) return 0
    const places = 'a, button, input, select, textarea, [tabindex]'
    // Tab enters a group of radio buttons at the one that is chosen.
    const passed = ':disabled, [type=radio]:not(:checked)'
    const stops = [...documentElement.querySelectorAll<typeof element>(places)].filter(
      (one) => one.tabIndex >= 0 && !one.matches(passed) && one.checkVisibility(),
    )
    const to = stops.indexOf(element)
    if (to < 0) return 1
    const isBefore = (stop: typeof element) =>
      stop === activeElement || (stop.compareDocumentPosition(activeElement ?? stop) & 4) !== 0
    const ahead = ((to - stops.filter(isBefore).length + stops.length) % stops.length) + 1
    return ahead <= stops.length / 2 ? ahead : ahead - stops.length
  })

/** Why somebody who looks at the page does not see that a control has the focus. */
const hiddenFocus = (target: Locator): Promise<readonly string[]> =>
  target.evaluate((element) => {
    const { activeElement, defaultView: view } = element.ownerDocument
    if (!view) return ['no window']
    const label = element.closest('label')
    const drawn = [element, ...(label ? [label] : [])].flatMap((one) => [
      one,
      ...one.querySelectorAll('*'),
    ])
    // An editor draws it around itself and what stands beside its lines.
    const around = [element.parentElement, element.parentElement?.parentElement]
    const hasRing = [...drawn, ...around].some((one) => {
      if (!one) return false
      const { outlineStyle, outlineWidth } = view.getComputedStyle(one)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
    })
    const boxes = drawn.map((one) => one.getBoundingClientRect())
    const box = boxes.find(({ width, height }) => width > 4 && height > 4)
    // A control taller than the window is seen where it is in sight.
    const middle = (from: number, to: number, end: number) =>
      (Math.max(from, 0) + Math.min(to, end)) / 2
    const x = box ? middle(box.left, box.right, view.innerWidth) : -1
    const y = box ? middle(box.top, box.bottom, view.innerHeight) : -1
    const there = element.ownerDocument.elementFromPoint(x, y)
    return [
      ...(element === activeElement ? [] : [`${activeElement?.outerHTML.slice(0, 200)} has it`]),
      ...(hasRing ? [] : ['no ring']),
      ...(there ? [] : [`out of sight at ${x}, ${y}`]),
      ...(there && !drawn.includes(there) ? [`under ${there.outerHTML.slice(0, 200)}`] : []),
    ]
  })

/** Faults of a control's place and size, in CSS pixels. */
const misfits = (target: Locator, sizeMin: number): Promise<readonly string[]> =>
  target.evaluate((element, min) => {
    const { documentElement: page } = element.ownerDocument
    const { left, right, width, height } = element.getBoundingClientRect()
    return [
      ...(page.scrollWidth > page.clientWidth ? [`the page is ${page.scrollWidth} wide`] : []),
      ...(left < 0 || right > page.clientWidth ? [`from ${left} to ${right}`] : []),
      ...(Math.min(width, height) < min ? [`${width} × ${height}`] : []),
    ]
  }, sizeMin)
