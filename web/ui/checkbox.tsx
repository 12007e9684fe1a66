import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'onChange'> & { label: string; onTick?: (isOn: boolean) => unknown }

export function Checkbox({ label, className, onTick, ...rest }: CheckboxProps) {
  return (
    <label className={classes('flex cursor-pointer items-center gap-3 text-sm font-medium', className)}>
      <input
        type="checkbox"
        className="size-5"
        onChange={onTick && (({ target }) => onTick(target.checked))}
        {...rest}
      />
      {label}
    </label>
  )
}
