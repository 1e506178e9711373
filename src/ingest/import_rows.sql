SELECT {document}, {title}, {heading}, {content}, {language}, {metadata}, {embedding} FROM {source} s {order}
