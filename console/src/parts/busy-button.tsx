import { AbsoluteCenter, Button, type ButtonProps, chakra, Loader, Spinner } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/**
 * A button whose work takes a while: until it is done, another press does nothing. It keeps the focus and its name
 * meanwhile; a disabled button would lose the focus to nothing.
 */
export function BusyButton({
  isBusy,
  isLocked = false,
  busyText,
  onBusyPress,
  onClick,
  onKeyDown,
  children,
  ...props
}: BusyButtonProps) {
  const isShut = isBusy || isLocked
  return (
    <Button
      {...props}
      aria-busy={isBusy || undefined}
      aria-disabled={isShut || props['aria-disabled']}
      // A menu's trigger opens by its keys.
      onKeyDown={isShut ? undefined : onKeyDown}
      onClick={(event) => {
        if (!isShut) return onClick?.(event)
        event.preventDefault()
        if (isBusy) onBusyPress?.()
      }}
    >
      {isBusy ? <Busy text={busyText}>{children}</Busy> : children}
    </Button>
  )
}

/** Properties of a button that may be busy. */
export type BusyButtonProps = Omit<ButtonProps, 'disabled' | 'loading' | 'loadingText'> & {
  isBusy: boolean
  /** True: it does nothing either, for another reason. */
  isLocked?: boolean
  /** Stands in place of the label meanwhile. */
  busyText?: string
  /** Called by a press meanwhile. */
  onBusyPress?: (() => void) | undefined
}

/** The label with a spinner over it. It is transparent, not hidden: a hidden label names nothing. */
function Busy({ text, children }: { text: string | undefined; children: ReactNode }) {
  if (text) return <Loader text={text} />
  return (
    <>
      <AbsoluteCenter display="inline-flex">
        <Spinner size="inherit" borderWidth="0.125em" color="inherit" />
      </AbsoluteCenter>
      <chakra.span display="contents" color="transparent">
        {children}
      </chakra.span>
    </>
  )
}
