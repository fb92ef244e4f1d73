import { Button, type ButtonProps, Loader } from '@chakra-ui/react'

/**
 * A button whose work takes a while: until it is done, another press does nothing. It keeps the focus and its name
 * meanwhile; a disabled button would lose the focus to nothing.
 */
export function BusyButton({
  isBusy,
  isLocked = false,
  busyText,
  onClick,
  children,
  ...props
}: BusyButtonProps) {
  const isShut = isBusy || isLocked
  return (
    <Button
      {...props}
      aria-disabled={isShut || props['aria-disabled']}
      onClick={(event) => (isShut ? event.preventDefault() : onClick?.(event))}
    >
      {isBusy ? <Loader text={busyText}>{children}</Loader> : children}
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
}
