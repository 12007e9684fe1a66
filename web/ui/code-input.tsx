import type { ComponentProps } from 'react'
import { Input } from './input.tsx'

/** Input for a six-digit code or a longer recovery code. Phones show digits and offer a code just received. */
export function CodeInput(props: ComponentProps<'input'>) {
  return (
    <Input
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      maxLength={40}
      className="font-mono tracking-widest"
      {...props}
    />
  )
}
