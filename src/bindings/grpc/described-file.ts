/** A .proto file as server reflection shows it. */
export interface DescribedFile {
  readonly name: string
  readonly imports: readonly string[]
  /** Full names of everything that it declares. */
  readonly symbols: readonly string[]
  /** Its FileDescriptorProto, as base64. */
  readonly bytes: string
}
