import { Button, type ButtonProps } from '@chakra-ui/react'

/**
 * A button that stands for a value: of a few of which one is chosen, or of a filter that is on or off. What is chosen
 * has the ground of the place one is at in the side bar; a full colour is for what a press does.
 */
export function ChoiceButton({ isChosen, isQuiet, ...props }: ChoiceButtonProps) {
  return (
    <Button
      size="xs"
      {...props}
      variant={isChosen ? 'subtle' : isQuiet ? 'ghost' : 'outline'}
      // In the dark theme, the ground alone is fainter than the frames of the others.
      {...(isChosen ? { borderColor: 'teal.border' } : {})}
      aria-pressed={isChosen}
    />
  )
}

interface ChoiceButtonProps extends Omit<ButtonProps, 'variant'> {
  readonly isChosen: boolean
  /** Without a frame while it is not chosen: within a menu or a line of text. */
  readonly isQuiet?: boolean
}
