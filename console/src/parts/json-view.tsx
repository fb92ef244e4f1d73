import { Box, Button, chakra, Flex } from '@chakra-ui/react'
import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ClipboardEvent, ComponentProps, KeyboardEvent, ReactNode } from 'react'
import { memo, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './copy-button.tsx'
import { CopyTextButton } from './copy.tsx'
import type { JsonLine } from './json-lines.ts'
import { copiedText, jsonLines, nestedPaths, parsedJson } from './json-lines.ts'

/** JSON of more lines begins folded: its outline is what people look for first. */
const UNFOLDED_LINES_MAX = 400

/**
 * JSON set out in lines as a tree: nested values fold, any value and the whole can be copied. A text that is no JSON
 * stands as it is.
 */
export function JsonView({ text, label }: { text: string; label: string }) {
  const value = useMemo(() => parsedJson(text), [text])
  return value === undefined ? (
    <Frame text={text} label={label}>
      <chakra.pre css={LOOK} aria-label={label} tabIndex={0}>
        {text}
      </chakra.pre>
    </Frame>
  ) : (
    <Tree key={text} text={text} label={label} value={value} />
  )
}

function Tree({ text, label, value }: { text: string; label: string; value: unknown }) {
  const { t } = useTranslation()
  const nested = useMemo(() => nestedPaths(value), [value])
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(jsonLines(value, new Set()).length > UNFOLDED_LINES_MAX ? nested : []),
  )
  const lines = useMemo(() => jsonLines(value, folded), [value, folded])
  const tree = useJsonTree(lines, (path, isFolded) =>
    setFolded((old) => {
      const next = new Set(old)
      if (isFolded) next.add(path)
      else next.delete(path)
      return next
    }),
  )
  const isAllFolded = nested.every((path) => folded.has(path))
  return (
    <Frame
      text={text}
      label={label}
      tools={
        <>
          {nested.length > 0 ? (
            <Button
              size="xs"
              variant="outline"
              onClick={() => setFolded(new Set(isAllFolded ? [] : nested))}
            >
              {t(isAllFolded ? 'json.unfoldAll' : 'json.foldAll')}
            </Button>
          ) : null}
          {tree.current ? (
            <CopyTextButton text={copiedText(tree.current.value)}>
              {t('json.copyValue')}
            </CopyTextButton>
          ) : null}
        </>
      }
    >
      <Box role="tree" aria-label={label} css={LOOK} {...tree.handlers}>
        {lines.map((line) => (
          <Line
            key={line.kind === 'end' ? `${line.path} end` : line.path}
            line={line}
            isCurrent={line.kind !== 'end' && line.path === tree.current?.path}
          />
        ))}
      </Box>
    </Frame>
  )
}

function Frame(props: { text: string; label: string; tools?: ReactNode; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Box borderWidth="1px" borderColor="border" borderRadius="l2" bg="bg.subtle" minW="0">
      <Flex
        gap="2"
        px="2"
        py="1"
        align="center"
        wrap="wrap"
        borderBottomWidth="1px"
        borderColor="border"
      >
        {props.tools}
        <Box ms="auto">
          <CopyButton text={props.text} label={t('copy.code', { name: props.label })} />
        </Box>
      </Flex>
      {props.children}
    </Box>
  )
}

/** The line that Tab leads to, moved by the arrow keys as in any tree; Enter or a click fold what is nested. */
function useJsonTree(
  lines: readonly JsonLine[],
  fold: (path: string, isFolded: boolean) => void,
): {
  readonly current: JsonLine | undefined
  readonly handlers: Pick<ComponentProps<'div'>, 'onClick' | 'onCopy' | 'onFocus' | 'onKeyDown'>
} {
  const [wanted, setWanted] = useState('')
  const items = lines.filter(({ kind }) => kind !== 'end')
  const current = items.find(({ path }) => path === wanted) ?? items[0]
  const itemOf = (target: EventTarget) => {
    const path = (target as Element).closest('[role=treeitem]')?.getAttribute('data-path')
    return items.find((item) => item.path === path)
  }
  const toggle = (item: JsonLine | undefined) => {
    if (item?.kind === 'nested') fold(item.path, !item.isFolded)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return
    const to = stepFrom(current, items, event.key)
    if (to === null) return
    event.preventDefault()
    // Lists and panels around it have the same keys.
    event.stopPropagation()
    if (to === 'toggle') toggle(current)
    else if (to)
      event.currentTarget
        .querySelector<HTMLElement>(`[data-path="${CSS.escape(to.path)}"]`)
        ?.focus()
  }
  return {
    current,
    handlers: {
      onFocus: ({ target }) => setWanted(itemOf(target)?.path ?? wanted),
      onClick: ({ target }) => {
        if (getSelection()?.toString() === '') toggle(itemOf(target))
      },
      onKeyDown: press,
      onCopy: (event: ClipboardEvent) => {
        // Text marked with the mouse is copied as ever.
        if (!current || getSelection()?.toString() !== '') return
        event.clipboardData.setData('text/plain', copiedText(current.value))
        event.preventDefault()
      },
    },
  }
}

/** Where a key leads from a line: to another one, to folding it, or (null) nowhere. */
function stepFrom(
  current: JsonLine,
  items: readonly JsonLine[],
  key: string,
): JsonLine | undefined | 'toggle' | null {
  const at = items.indexOf(current)
  const isNested = current.kind === 'nested'
  switch (key) {
    case 'ArrowDown':
      return items[at + 1]
    case 'ArrowUp':
      return items[at - 1]
    case 'Home':
      return items[0]
    case 'End':
      return items.at(-1)
    case 'ArrowRight':
      if (!isNested) return undefined
      return current.isFolded ? 'toggle' : items[at + 1]
    case 'ArrowLeft':
      if (isNested && !current.isFolded) return 'toggle'
      return items.slice(0, at).findLast(({ depth }) => depth < current.depth)
    case 'Enter':
    case ' ':
      return isNested ? 'toggle' : undefined
    default:
      return null
  }
}

const Line = memo(
  function Line({ line, isCurrent }: { line: JsonLine; isCurrent: boolean }) {
    const indent = { paddingInlineStart: `${(line.depth + 1) * 14}px` }
    const comma = line.hasNext ? ',' : ''
    if (line.kind === 'end')
      return (
        <div role="presentation" style={indent}>
          {line.text}
          {comma}
        </div>
      )
    const isNested = line.kind === 'nested'
    const Icon = line.isFolded ? ChevronRight : ChevronDown
    return (
      <div
        role="treeitem"
        aria-level={line.depth + 1}
        aria-expanded={isNested ? !line.isFolded : undefined}
        aria-selected={isCurrent}
        data-path={line.path}
        data-nested={isNested ? '' : undefined}
        tabIndex={isCurrent ? 0 : -1}
        style={indent}
      >
        {isNested ? <Icon size={12} aria-hidden /> : null}
        {line.name === null ? null : (
          <>
            <span data-json="name">{JSON.stringify(line.name)}</span>
            {': '}
          </>
        )}
        {isNested ? line.text : <span data-json={line.kind}>{line.text}</span>}
        {line.isFolded ? <span data-json="size">{` ${line.size}`}</span> : null}
        {comma}
      </div>
    )
  },
  (a, b) =>
    a.isCurrent === b.isCurrent &&
    a.line.path === b.line.path &&
    a.line.kind === b.line.kind &&
    a.line.isFolded === b.line.isFolded,
)

/** One style for all lines. */
const LOOK = {
  py: '2',
  pe: '2',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  fontFamily: 'mono',
  fontSize: 'xs',
  lineHeight: '1.6',
  '& [data-json=name]': { color: 'teal.fg' },
  '& [data-json=text]': { color: 'green.fg' },
  '& [data-json=other]': { color: 'blue.fg' },
  '& [data-json=size]': { color: 'fg.muted' },
  '& [data-nested]': { cursor: 'pointer' },
  '& svg': { display: 'inline', ms: '-14px', me: '2px', verticalAlign: '-1px' },
  '& [role=treeitem]:focus-visible': {
    outline: '2px solid',
    outlineColor: 'teal.focusRing',
    outlineOffset: '-2px',
  },
  '&:is(pre)': { ps: '3' },
} as const
