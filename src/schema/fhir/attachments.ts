/** The content of an Attachment, whether it has the data itself or names a Binary of the tenant. */
import { GraphQLNonNull, GraphQLObjectType } from 'graphql';
import { COST_OF_READ, withCost } from '../cost';
import { isJsonObject } from '../json';
import type { Fields } from './elements';
import type { AttachmentContent, Handlers } from './handlers';
import { primitiveScalar } from './primitives';

/** As much as some hundred rows: there may be a megabyte of it. */
const COST_OF_DATA = { base: 500 };

/** Returns the further field of Attachment. */
export function attachmentFields<Context>(handlers: Handlers<Context>): Fields<Context> {
  const content = new GraphQLObjectType<AttachmentContent, Context>({
    name: 'AttachmentContent',
    description: 'The content of an Attachment or of the Binary that it names.',
    fields: {
      contentType: { type: primitiveScalar('code'), description: 'Its media type.' },
      size: { type: new GraphQLNonNull(primitiveScalar('unsignedInt')), description: 'Number of bytes.' },
      data: {
        type: primitiveScalar('base64Binary'),
        ...withCost(COST_OF_DATA),
        description: 'Its bytes, if they are no more than 1 MB.',
      },
      address: {
        type: primitiveScalar('url'),
        description:
          'An address below {fhir_root} from which a browser loads this version within a minute, without credentials and with ' +
          'the rights that the caller then has; null for data in the Attachment itself.',
      },
    },
  });
  return {
    content: {
      type: content,
      ...withCost(COST_OF_READ),
      description: 'Null if there is neither data nor a Binary of this tenant.',
      resolve: (attachment, _given, context) =>
        isJsonObject(attachment) ? handlers.content(attachment, context) : undefined,
    },
  };
}
