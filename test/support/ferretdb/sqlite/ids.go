// Becomes part of FerretDB's package of this name when it is built: see test/support/mongodb/ferretdb.ts.
package sqlite

import (
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

// whereIDIn gives the clause for documents whose id is one of a list of texts; none where the condition is another one.
func whereIDIn(condition any) (string, []any) {
	document, ok := condition.(*types.Document)
	if !ok || document.Len() != 1 {
		return "", nil
	}
	in, _ := document.Get("$in")
	list, ok := in.(*types.Array)
	if !ok || list.Len() == 0 || list.Len() > 30_000 {
		return "", nil
	}
	var ids []any
	for i := range list.Len() {
		id, ok := must.NotFail(list.Get(i)).(string)
		if !ok {
			return "", nil
		}
		ids = append(ids, string(must.NotFail(sjson.MarshalSingleValue(id))))
	}
	return " WHERE " + metadata.IDColumn + " IN (?" + strings.Repeat(", ?", len(ids)-1) + ")", ids
}
