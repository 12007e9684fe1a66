/** Joins class names; later ones of the caller stand last. */
export function classes(...names: (string | false | null | undefined)[]) {
  return names.filter(Boolean).join(' ')
}
