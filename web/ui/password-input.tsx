import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { classes } from './classes.ts'
import { Input } from './input.tsx'

export function PasswordInput({
  what = 'password',
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { what?: string }) {
  const [isShown, setIsShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <div className="relative">
      <Input type={isShown ? 'text' : 'password'} className={classes('pr-12', className)} {...rest} />
      <button
        type="button"
        aria-label={`${isShown ? 'Hide' : 'Show'} ${what}`}
        aria-pressed={isShown}
        onClick={() => setIsShown(!isShown)}
        className="absolute inset-y-0 right-0 grid w-11 cursor-pointer place-items-center rounded-md text-muted hover:text-ink"
      >
        <Icon className="size-5" aria-hidden="true" />
      </button>
    </div>
  )
}
