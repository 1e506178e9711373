SELECT {document}, {title}, {heading}, {content}, {language}, {metadata}, {embedding}, {source_type}, {abstract}, {overview}, {created_at}
FROM {source} s {order}
